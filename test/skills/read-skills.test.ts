import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { realDisk, type Disk } from '../../src/platform/disk.ts'
import { labelUntrusted } from '../../src/skills/bodies/label-untrusted.ts'
import { readSkills, type ReadOptions } from '../../src/skills/bodies/read-skills.ts'
import { openSkillsIndex } from '../../src/skills/index/open-index.ts'
import { codeOf, thrownBy } from '../helpers/thrown.ts'
import { entry, skillsRoot, skillText, type SkillsRoot } from './skills-root.ts'

const SECRET = 'the secret that lies outside'

/** A root with the skills a and b, and a secret beside it. */
const rootWithTwo = (): SkillsRoot => {
  const room = skillsRoot()
  writeFileSync(join(room.outside, 'SKILL.md'), SECRET)
  room.skill('a')
  room.skill('b')
  room.index([entry('a'), entry('b'), entry('gone')])
  return room
}
const read = ({ root }: SkillsRoot, ids: readonly string[], options: ReadOptions = {}, disk: Disk = realDisk) =>
  readSkills(openSkillsIndex(root, { disk }), ids, options)

describe('reading skills', () => {
  it('gives the text, its size and the hash of its bytes, for what was asked for', () => {
    const room = rootWithTwo()
    const text = skillText('b')
    expect(read(room, ['b', 'b'])).toEqual({
      skills: [
        {
          id: 'b',
          path: 'skills/b',
          sha512: createHash('sha512').update(text).digest('hex'),
          bytes: text.length,
          text,
          untrusted: true,
        },
      ],
      errors: [],
    })
  })

  it('opens nothing but the index, the lock and the bodies that were asked for', () => {
    const room = rootWithTwo()
    const opened: string[] = []
    const disk: Disk = {
      ...realDisk,
      openSync: (path, flags, mode) => {
        const fd = realDisk.openSync(path, flags, mode)
        if (realDisk.fstatSync(fd).isFile()) opened.push(realDisk.realpathSync(path))
        return fd
      },
    }
    read(room, ['a'], {}, disk)
    expect(opened).toEqual([join(room.root, 'skills_index.json'), join(room.root, 'skills/a/SKILL.md')])
  })

  it('does not lose the others to a bad one when asked to collect', () => {
    const room = rootWithTwo()
    const { skills, errors } = read(room, ['gone', 'a', 'nobody', 'b'], { onError: 'collect' })
    expect(skills.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(errors.map(({ id, code }) => [id, code])).toEqual([
      ['gone', 'STATE_SKILL_MISSING'],
      ['nobody', 'STATE_NO_SKILL'],
    ])
  })

  it('ends at the first bad one otherwise, naming its id and no absolute path', () => {
    const room = rootWithTwo()
    const error = thrownBy(() => read(room, ['a', 'gone']))
    expect(error.message).toBe('skill "gone": "skills/gone" is not there')
    expect(error.message).not.toContain(room.root)
  })

  it('leaves no descriptor open', () => {
    const room = rootWithTwo()
    symlinkSync(room.outside, join(room.root, 'skills/gone'))
    const before = readdirSync('/dev/fd').length
    for (let at = 0; at < 20; at++) read(room, ['a', 'gone', 'b'], { onError: 'collect', maxBytes: at })
    expect(readdirSync('/dev/fd').length).toBe(before)
  })

  it('drops a byte order mark of the text and counts it in the bytes', () => {
    const room = rootWithTwo()
    room.put('skills/a/SKILL.md', '\ufeffx')
    expect(read(room, ['a']).skills[0]).toMatchObject({ text: 'x', bytes: 4 })
  })
})

describe('a body that leads out of the root is refused', () => {
  const refused = (room: SkillsRoot, code = 'POLICY_SKILL_CONFINED', disk: Disk = realDisk): void => {
    const { skills, errors } = read(room, ['a', 'b'], { onError: 'collect' }, disk)
    expect(skills.map(({ id }) => id)).toEqual(['b'])
    expect(errors.map((error) => error.code)).toEqual([code])
    expect(JSON.stringify(errors)).not.toContain(SECRET)
    expect(JSON.stringify(errors)).not.toContain(room.root)
  }
  const drop = (room: SkillsRoot, path: string): string => {
    rmSync(join(room.root, path), { recursive: true })
    return join(room.root, path)
  }

  it('by a link at the file', () => {
    const room = rootWithTwo()
    symlinkSync(join(room.outside, 'SKILL.md'), drop(room, 'skills/a/SKILL.md'))
    refused(room)
  })

  it('by a link at the file that stays inside', () => {
    const room = rootWithTwo()
    symlinkSync(join(room.root, 'skills/b/SKILL.md'), drop(room, 'skills/a/SKILL.md'))
    refused(room)
  })

  it('by a link at the folder', () => {
    const room = rootWithTwo()
    symlinkSync(room.outside, drop(room, 'skills/a'))
    refused(room)
  })

  it('by a link in the middle', () => {
    const room = rootWithTwo()
    mkdirSync(join(room.outside, 'deep'))
    writeFileSync(join(room.outside, 'deep/SKILL.md'), SECRET)
    symlinkSync(room.outside, join(room.root, 'skills/mid'))
    room.index([entry('a', { path: 'skills/mid/deep' }), entry('b')])
    refused(room)
  })

  it('by a link to nothing', () => {
    const room = rootWithTwo()
    symlinkSync('nowhere', drop(room, 'skills/a/SKILL.md'))
    refused(room)
  })

  it('by a hard link', () => {
    const room = rootWithTwo()
    linkSync(join(room.outside, 'SKILL.md'), drop(room, 'skills/a/SKILL.md'))
    refused(room)
  })

  it('by a FIFO without a writer, without waiting', () => {
    const room = rootWithTwo()
    execFileSync('mkfifo', [drop(room, 'skills/a/SKILL.md')])
    refused(room)
  })

  it('by a folder of the name of the file', () => {
    const room = rootWithTwo()
    mkdirSync(drop(room, 'skills/a/SKILL.md'))
    refused(room)
  })

  it.each(['../outside', 'skills/../../outside', '/etc', 'skills\\..\\outside', 'skills/a\0'])(
    'by the path %j',
    (path) => {
      const room = rootWithTwo()
      room.index([entry('a', { path }), entry('b')])
      refused(room, 'MANIFEST_SKILL_PATH')
    },
  )

  it('by an index that is a link', () => {
    const room = rootWithTwo()
    writeFileSync(join(room.outside, 'skills_index.json'), '[]')
    symlinkSync(join(room.outside, 'skills_index.json'), drop(room, 'skills_index.json'))
    expect(codeOf(() => openSkillsIndex(room.root))).toBe('POLICY_SKILL_CONFINED')
  })

  it('by a FIFO in place of the index or the lock, without waiting', () => {
    const room = rootWithTwo()
    execFileSync('mkfifo', [join(room.root, 'skills_index.lock.json')])
    expect(codeOf(() => openSkillsIndex(room.root))).toBe('POLICY_SKILL_CONFINED')
    execFileSync('mkfifo', [drop(room, 'skills_index.json')])
    expect(codeOf(() => openSkillsIndex(room.root))).toBe('POLICY_SKILL_CONFINED')
  })
})

describe('a body that is exchanged while it is read', () => {
  /** Runs `act` once, right before the call that `at` chooses by its path. */
  const before = (call: 'openSync' | 'lstatSync', at: (path: string) => boolean, act: () => void): Disk => {
    let isDone = false
    const first = (path: string): void => {
      if (isDone || !at(path)) return
      isDone = true
      act()
    }
    return call === 'openSync'
      ? { ...realDisk, openSync: (path, flags, mode) => (first(path), realDisk.openSync(path, flags, mode)) }
      : { ...realDisk, lstatSync: (path) => (first(path), realDisk.lstatSync(path)) }
  }
  const isBody = (path: string): boolean => path.endsWith('SKILL.md')
  const attempt = (room: SkillsRoot, disk: Disk) => {
    const index = openSkillsIndex(room.root)
    return readSkills({ ...index, disk }, ['a'], { onError: 'collect' })
  }
  const swapFile = (room: SkillsRoot) => (): void => {
    unlinkSync(join(room.root, 'skills/a/SKILL.md'))
    symlinkSync(join(room.outside, 'SKILL.md'), join(room.root, 'skills/a/SKILL.md'))
  }
  const swapFolder = (room: SkillsRoot) => (): void => {
    renameSync(join(room.root, 'skills/a'), join(room.root, 'skills/kept'))
    symlinkSync(room.outside, join(room.root, 'skills/a'))
  }
  const withoutProc = (disk: Disk): Disk => ({
    ...disk,
    statSync: (path) => {
      if (path.startsWith('/proc')) throw Object.assign(new Error('absent'), { code: 'ENOENT' })
      return disk.statSync(path)
    },
  })

  it.each([
    ['the file by a link, before it is opened', 'openSync', isBody, swapFile],
    ['the folder by a link, before the file is opened', 'openSync', isBody, swapFolder],
    ['the folder by a link, before the file is looked at', 'lstatSync', isBody, swapFolder],
  ] as const)('never gives what lies outside: %s', (_, call, at, swap) => {
    for (const on of [(disk: Disk) => disk, withoutProc]) {
      const room = rootWithTwo()
      const answer = attempt(room, on(before(call, at, swap(room))))
      expect(JSON.stringify(answer)).not.toContain(SECRET)
    }
  })

  it('is refused where folders cannot be held open by descriptor', () => {
    const room = rootWithTwo()
    const { errors } = attempt(room, withoutProc(before('lstatSync', isBody, swapFolder(room))))
    expect(errors.map(({ code }) => code)).toEqual(['POLICY_SKILL_CONFINED'])
  })

  it('is refused when a FIFO takes the place of the file, without waiting', () => {
    const room = rootWithTwo()
    const file = join(room.root, 'skills/a/SKILL.md')
    const disk = before('openSync', isBody, () => {
      unlinkSync(file)
      execFileSync('mkfifo', [file])
    })
    expect(attempt(room, disk).errors).toHaveLength(1)
  })

  it.each([
    ['grows', (file: string) => appendFileSync(file, 'more')],
    ['shrinks', (file: string) => truncateSync(file, 3)],
  ])('is refused when it %s between two reads', (_, change) => {
    const room = rootWithTwo()
    const file = join(room.root, 'skills/a/SKILL.md')
    let reads = 0
    const disk: Disk = {
      ...realDisk,
      readSync: (...args) => {
        if (reads++ === 0) change(file)
        return realDisk.readSync(...args)
      },
    }
    expect(attempt(room, disk).errors.map(({ code }) => code)).toEqual(['STATE_SKILL_MISSING'])
  })

  it('never returns a file outside while another process keeps swapping the folder for a link', async () => {
    const room = rootWithTwo()
    const script = `
      const fs = require('node:fs'); const [real, kept, outside] = process.argv.slice(1)
      process.stdout.write('ready\\n')
      for (;;) { fs.renameSync(real, kept); fs.symlinkSync(outside, real); fs.unlinkSync(real); fs.renameSync(kept, real) }`
    const { spawn } = await import('node:child_process')
    const folder = join(room.root, 'skills/a')
    const swapper = spawn(process.execPath, ['-e', script, folder, `${folder}-kept`, room.outside])
    await new Promise((resolve) => swapper.stdout.once('data', resolve))
    const index = openSkillsIndex(room.root)
    const texts = new Set<string>()
    for (let at = 0; at < 3000; at++)
      for (const { text } of readSkills(index, ['a'], { onError: 'collect' }).skills) texts.add(text)
    const ended = new Promise((resolve) => swapper.once('exit', resolve))
    swapper.kill()
    await ended
    expect([...texts].filter((text) => text !== skillText('a'))).toEqual([])
  })
})

describe('a body that is too large', () => {
  it('is refused by the cap of one body, before it is read', () => {
    const room = rootWithTwo()
    room.put('skills/a/SKILL.md', '')
    truncateSync(join(room.root, 'skills/a/SKILL.md'), 50 * 1024 * 1024)
    const disk: Disk = {
      ...realDisk,
      readSync: (fd, ...rest) => {
        if (realDisk.fstatSync(fd).size > 1024 * 1024) throw new Error('it was read')
        return realDisk.readSync(fd, ...rest)
      },
    }
    expect(codeOf(() => read(room, ['a'], {}, disk))).toBe('POLICY_SKILL_SIZE')
  })

  it('is refused by the cap of the turn, and the others are not', () => {
    const room = rootWithTwo()
    const size = Buffer.byteLength(skillText('a'))
    const { skills, errors } = read(room, ['a', 'b'], { maxTotalBytes: size, onError: 'collect' })
    expect(skills.map(({ id }) => id)).toEqual(['a'])
    expect(errors.map(({ id, code }) => [id, code])).toEqual([['b', 'POLICY_SKILL_SIZE']])
  })

  it('may be exactly as large as the cap', () => {
    const room = rootWithTwo()
    room.put('skills/a/SKILL.md', 'x'.repeat(256 * 1024))
    room.put('skills/b/SKILL.md', 'x'.repeat(256 * 1024))
    expect(read(room, ['a', 'b']).skills).toHaveLength(2)
    room.put('skills/a/SKILL.md', 'x'.repeat(256 * 1024 + 1))
    expect(codeOf(() => read(room, ['a']))).toBe('POLICY_SKILL_SIZE')
  })
})

it('a body that is not UTF-8 is refused, naming the byte', () => {
  const room = rootWithTwo()
  room.put('skills/a/SKILL.md', Uint8Array.of(0x61, 0xff))
  expect(thrownBy(() => read(room, ['a'])).message).toContain('byte 1 (0xff)')
})

it.each([{ maxBytes: -1 }, { maxTotalBytes: 1.5 }, { onError: 'ignore' }])('the options %j are refused', (options) => {
  expect(codeOf(() => read(rootWithTwo(), ['a'], options as ReadOptions))).toBe('USAGE_BAD_VALUE')
})

it('no body can contain the line that ends its label', () => {
  const room = rootWithTwo()
  const [skill] = read(room, ['a']).skills
  if (skill === undefined) throw new Error('a was not read')
  const lines = labelUntrusted(skill).trimEnd().split('\n')
  expect(lines.at(-1)).toBe(`[end of untrusted content ${skill.sha512.slice(0, 16)}]`)
  expect(lines[0]).toContain('untrusted content of skill "a"')
})

describe('opening an index', () => {
  it('says when there is no root, or no index in it', () => {
    const { root } = skillsRoot()
    expect(codeOf(() => openSkillsIndex(join(root, 'none')))).toBe('STATE_NO_SKILLS_INDEX')
    expect(thrownBy(() => openSkillsIndex(root)).hint).toBe('gsd skills index writes it')
  })

  it('refuses an index of 20 MB without reading it', () => {
    const { root, put } = skillsRoot()
    truncateSync(put('skills_index.json', ''), 20 * 1024 * 1024)
    expect(codeOf(() => openSkillsIndex(root))).toBe('MANIFEST_SKILLS_INDEX')
  })

  it('refuses in strict mode what compat takes with a warning', () => {
    const { root, index } = skillsRoot()
    index([entry('a', { risk: 'spicy' })])
    expect(openSkillsIndex(root).warnings).toHaveLength(1)
    expect(codeOf(() => openSkillsIndex(root, { mode: 'strict' }))).toBe('MANIFEST_SKILL_LABEL')
  })
})
