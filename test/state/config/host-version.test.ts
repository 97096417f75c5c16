import { execFileSync } from 'node:child_process'
import { chmodSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import parse from 'semver/functions/parse.js'
import { expect, test } from 'vitest'
import { readHostVersion, type HostVersionSources, versionOf } from '../../../src/state/config/host-version.ts'
import { CONTRACT_VERSION } from '../../../src/version.ts'
import { asNobody } from '../../helpers/as-nobody.ts'
import { thrownBy } from '../../helpers/thrown.ts'
import { at, folder, scratch, write } from './config-folder.ts'

const read = (sources: Partial<HostVersionSources> = {}): ReturnType<typeof readHostVersion> =>
  readHostVersion({ flag: undefined, env: undefined, project: null, homes: [], ...sources })

test('the flag comes first, then the variable, the project, the homes in their order, and the built-in version', () => {
  const files = [
    write('project/gsd-core/VERSION', '1.1.0\n'),
    write('a/gsd-core/VERSION', '1.2.0'),
    write('b/gsd-core/VERSION', '1.3.0'),
  ]
  const homes = [at('none'), at('a'), at('b')]
  const all = { flag: '1.5.0', env: '1.4.0', project: at('project'), homes }
  const answers = [
    read(all),
    read({ ...all, flag: undefined }),
    read({ project: at('project'), homes }),
    read({ project: at('none'), homes }),
    read({ homes: [at('b'), at('a')] }),
    read(),
  ]
  expect(answers).toEqual(
    [
      { version: '1.5.0', from: '--host-version' },
      { version: '1.4.0', from: 'GSD_VERSION' },
      { version: '1.1.0', from: files[0] },
      { version: '1.2.0', from: files[1] },
      { version: '1.3.0', from: files[2] },
      { version: '1.14.0', from: 'built-in' },
    ].map((hostVersion) => ({ hostVersion, warnings: [] })),
  )
  expect(CONTRACT_VERSION).toBe('1.14.0')
})

test('homes are read only as far as needed', () => {
  write('project/gsd-core/VERSION', '1.1.0')
  // oxlint-disable-next-line require-yield
  const homes = (function* (): Generator<string> {
    throw new Error('asked')
  })()
  expect(read({ project: at('project'), homes }).hostVersion.version).toBe('1.1.0')
  expect(read({ flag: '1.0.0', homes }).hostVersion.version).toBe('1.0.0')
})

test.each([
  ['v1.14.0', '1.14.0'],
  [' 1.14.0-rc.1 ', '1.14.0-rc.1'],
  ['1.14.0+build.7', '1.14.0'],
  ['\uFEFF1.14.0\r\n', '1.14.0'],
])('%j in a file is %s', (text, version) => {
  write('project/gsd-core/VERSION', text)
  expect(read({ project: at('project') })).toEqual({
    hostVersion: { version, from: at('project/gsd-core/VERSION') },
    warnings: [],
  })
})

test.each(['', ' ', 'latest', '1.14', '1', '0', 'x'.repeat(300), '1.2.3.4', '\u001b[2J'])(
  '%j as a flag is a usage error, never 0.0.0',
  (text) => {
    const error = thrownBy(() => read({ flag: text }))
    expect([error.code, error.exitStatus]).toEqual(['USAGE_BAD_VALUE', 2])
    expect(error.message).not.toContain('\u001b')
  },
)

test('an invalid version in the variable is a usage error, a blank one is unset', () => {
  expect(thrownBy(() => read({ env: 'soon' }))).toMatchObject({
    code: 'USAGE_BAD_VALUE',
    exitStatus: 2,
    message: expect.stringContaining('GSD_VERSION'),
  })
  for (const env of ['', '  ']) expect(read({ env }).hostVersion.from).toBe('built-in')
})

const NONSENSE: readonly (readonly [string, (file: string) => unknown])[] = [
  ['text that is no version', (): unknown => 'soon'],
  ['nothing', (): unknown => ''],
  ['bytes that are not UTF-8', (): unknown => new Uint8Array([0xff, 0xfe, 0x31])],
  ['more than a version ever is', (): unknown => `1.14.0${' '.repeat(2000)}`],
]

test.each(NONSENSE)('a file with %s gives a warning, and the next source is used', (_name, content) => {
  const file = write('project/gsd-core/VERSION', content(''))
  write('home/gsd-core/VERSION', '1.9.0')
  const { hostVersion, warnings } = read({ project: at('project'), homes: [at('home')] })
  expect(hostVersion.version).toBe('1.9.0')
  expect(warnings).toMatchObject([{ severity: 'warning', code: 'STATE_CONFIG_INVALID', file }])
})

test('a pipe, a device, a folder, a dangling link or an unreadable file gives a warning and does not block', () => {
  const homes = ['pipe', 'device', 'dir', 'dangling', 'closed'].map((name) => folder(name, 'gsd-core'))
  const [pipe, device, dir, dangling, closed] = homes.map((home) => `${home}/VERSION`) as [
    string,
    string,
    string,
    string,
    string,
  ]
  execFileSync('mkfifo', [pipe])
  symlinkSync('/dev/zero', device)
  folder('dir/gsd-core/VERSION')
  symlinkSync('nowhere', dangling)
  chmodSync(write('closed/gsd-core/VERSION', '1.0.0'), 0)
  chmodSync(scratch.dir, 0o755)
  const { hostVersion, warnings } = asNobody(() => read({ homes: homes.map(dirname) }))
  expect(hostVersion.from).toBe('built-in')
  expect(warnings.map(({ file }) => file)).toEqual([pipe, device, dir, dangling, closed])
})

test('a file in place of the folder counts as no version file', () => {
  write('home/gsd-core', '1.0.0')
  expect(read({ homes: [at('home')] })).toMatchObject({ hostVersion: { from: 'built-in' }, warnings: [] })
})

test('a text is the version that semver reads in it, or none', () => {
  const part = fc.constantFrom(
    '0',
    '1',
    '00',
    '9007199254740991',
    '9007199254740992',
    'rc',
    '-',
    '.',
    '+',
    'v',
    '=',
    ' ',
  )
  const numbers = fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)).map((all) => all.join('.'))
  const texts = fc.tuple(fc.constantFrom('', 'v', 'vv', ' '), numbers, fc.array(part, { maxLength: 6 }))
  fc.assert(
    fc.property(
      fc.oneof(
        texts.map(([a, b, c]) => a + b + c.join('')),
        fc.array(part).map((all) => all.join('')),
      ),
      (text) => {
        expect(versionOf(text)).toBe(parse(text.trim())?.version ?? null)
      },
    ),
    { seed: 19, numRuns: 3000 },
  )
  for (const text of [
    `1.0.0-${'a'.repeat(249)}`,
    `1.0.0-${'a'.repeat(251)}`,
    `1.0.0-${'1'.repeat(249)}`,
    `1.0.0+${'a'.repeat(250)}`,
  ])
    expect(versionOf(text)).toBe(parse(text)?.version ?? null)
})
