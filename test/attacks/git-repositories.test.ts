import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { stageBundle } from '../../src/bundle/stage-bundle.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { failureOf, useFetchFixture } from '../helpers/fetch-fixture.ts'
import { makeRepository, type Repository } from '../helpers/git.ts'

const room = useFetchFixture()
let repo: Repository
beforeEach(() => {
  repo = makeRepository(room.at('repo'))
  repo.commit({ 'capability.json': '{"id":"demo"}' })
})

/** Writes a tree object unchanged, which git itself would never make. */
const tree = (...entries: readonly (readonly [mode: string, name: string, oid: string])[]): string => {
  const bytes = Buffer.concat(
    entries.flatMap(([mode, name, oid]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
  )
  return execFileSync('git', ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], {
    cwd: repo.dir,
    input: bytes,
    encoding: 'utf8',
  }).trim()
}
const commitTree = (oid: string): void => {
  const commit = repo.git('commit-tree', '-m', 'odd', oid)
  repo.git('update-ref', 'refs/heads/odd', commit)
}
const refusal = async () => {
  const into = room.at('out/staged')
  const error = await failureOf(
    room.fetch(`${repo.url}#odd`).then(({ source }) => stageBundle(source, { into, disk: realDisk })),
  )
  expect(fs.existsSync(into)).toBe(false)
  return error
}

describe('a repository whose commit', () => {
  test.each([
    ['climbs out by ..', [['100644', '..', 'blob']]],
    ['climbs out from a folder by ..', [['40000', 'sub', 'climb']]],
    ['has an absolute name', [['100644', '/etc/passwd', 'blob']]],
    [
      'has a file twice',
      [
        ['100644', 'a', 'blob'],
        ['100644', 'a', 'other'],
      ],
    ],
    [
      'has a file that is a folder too',
      [
        ['100644', 'a', 'blob'],
        ['40000', 'a', 'tree'],
      ],
    ],
    ['has a link that leads out', [['120000', 'link', 'blob']]],
  ] as const)('%s is refused before anything is written', async (_what, entries) => {
    const blob = repo.git('rev-parse', 'HEAD:capability.json')
    const objects = {
      blob,
      other: execFileSync('git', ['hash-object', '-w', '--stdin'], {
        cwd: repo.dir,
        input: 'other',
        encoding: 'utf8',
      }).trim(),
      tree: tree(['100644', 'b', blob]),
      climb: tree(['40000', '..', tree(['100644', 'x', blob])]),
    }
    commitTree(
      tree(
        ['100644', 'capability.json', blob],
        ...entries.map(([mode, name, oid]) => [mode, name, objects[oid]] as const),
      ),
    )
    expect(await refusal()).toMatchObject({ code: 'ARCHIVE_UNSAFE', exitStatus: 3 })
  })

  test('expands into more names than there are atoms is cut off', async () => {
    let oid = tree(['100644', 'x', repo.git('rev-parse', 'HEAD:capability.json')])
    for (let depth = 0; depth < 24; depth++)
      oid = tree(...Array.from('abcdefghij', (name) => ['40000', name, oid] as const))
    commitTree(oid)
    expect(await refusal()).toMatchObject({ code: 'ARCHIVE_TOO_LARGE', exitStatus: 3 })
  })

  test('contains a bomb of zeros is refused by its size, and the bomb never reaches the disk', async () => {
    repo.git('checkout', '-q', '-b', 'odd')
    repo.commit({ 'bomb.bin': Buffer.alloc(200 * 1024 * 1024) })
    expect(await refusal()).toMatchObject({ code: 'ARCHIVE_TOO_LARGE' })
    const used = Number(execFileSync('du', ['-sk', room.at('cache')], { encoding: 'utf8' }).split('\t')[0])
    expect(used).toBeLessThan(2048)
  })

  test.each([
    ['a .git folder', '40000', '.git'],
    ['a .git folder in other letters', '40000', '.GIT'],
    ['a .git file', '100644', '.git'],
    ['the short name of .git', '40000', 'git~1'],
    ['a name with a slash', '100644', 'a/b'],
    ['a folder with a slash in its name', '40000', 'a/b'],
    ['a name that ends in a slash', '100644', 'a/'],
    ['an empty name', '100644', ''],
    ['the name "."', '40000', '.'],
  ])('has %s is refused, at any depth', async (_what, mode, name) => {
    const blob = repo.git('rev-parse', 'HEAD:capability.json')
    const odd = tree([mode, name, mode === '40000' ? tree(['100755', 'post-checkout', blob]) : blob])
    for (const root of [tree(['100644', 'capability.json', blob], ['40000', 'sub', odd]), odd]) {
      commitTree(root)
      const error = await refusal()
      // The server itself refuses to list a tree with an empty name.
      expect(error).toMatchObject({ code: name === '' ? 'INTEGRITY_GIT_OBJECT' : 'ARCHIVE_UNSAFE', exitStatus: 3 })
      expect(error.message).not.toContain('\n')
    }
  })
})

test('a ref, url or path that looks like a flag never reaches git', async () => {
  for (const text of [
    `${repo.url}#--upload-pack=touch /tmp/x`,
    `${repo.url}#tag:--upload-pack=x`,
    `${repo.url}#main&path:--help`,
    'ssh://-oProxyCommand=id/x.git',
    'git@-oProxyCommand=id:x.git',
    'git@example.org:-x.git',
    'https://example.org/-x.git',
    'ext::sh -c id',
    'git+ext://x',
    'fd::17/x.git',
  ]) {
    expect(() => room.fetch(text), text).toThrow(expect.objectContaining({ exitStatus: 2 }))
  }
})
