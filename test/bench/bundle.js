import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** @typedef {Record<string, string | Uint8Array>} Files relative path → content */

/** A feature manifest that asks for nothing. @param {string} id @param {Record<string, unknown>} [rest] */
export const manifest = (id, rest = {}) => ({
  id,
  role: 'feature',
  version: '1.0.0',
  title: `Capability ${id}`,
  description: 'One of many, for measuring.',
  tier: 'standard',
  requires: [],
  runtimeCompat: { supported: ['*'], unsupported: [] },
  skills: [],
  agents: [],
  config: {},
  steps: [],
  contributions: [],
  gates: [],
  ...rest,
})

/** What an overlay of the budgets is: one fragment, one skill, one config key. @param {string} id @returns {Files} */
export const overlayFiles = (id) => ({
  'capability.json': `${JSON.stringify(
    manifest(id, {
      skills: [`${id}-skill`],
      config: { [`${id}.on`]: { type: 'boolean', default: true, description: 'Whether it is on.' } },
      contributions: [
        {
          point: 'plan:pre',
          into: 'planner',
          fragment: { path: 'fragments/note.md' },
          produces: [],
          consumes: [],
        },
      ],
    }),
    null,
    2,
  )}\n`,
  'fragments/note.md': `Think of ${id}.\n`,
  [`skills/${id}-skill/SKILL.md`]: `---\nname: ${id}-skill\ndescription: Thinks of ${id}.\n---\n\nThink.\n`,
})

/** A bundle with a hook script, and files beside it until there are `count`. @param {string} id @param {number} count @returns {Files} */
export const hookFiles = (id, count) => ({
  'capability.json': JSON.stringify(manifest(id, { hooks: [{ event: 'PreToolUse', script: 'hooks/run.sh' }] })),
  'hooks/run.sh': '#!/bin/sh\nexit 0\n',
  ...Object.fromEntries(Array.from({ length: count - 2 }, (_, n) => [`notes/${n}.md`, `Note ${n}.\n`.repeat(50)])),
})

/** A bundle of `count` files with `bytes` bytes in all, half of them compressible. @param {string} id @param {number} count @param {number} bytes @returns {Files} */
export const largeFiles = (id, count, bytes) => {
  const half = Math.floor(bytes / (count - 1) / 2)
  return {
    'capability.json': JSON.stringify(manifest(id)),
    ...Object.fromEntries(
      Array.from({ length: count - 1 }, (_, n) => [
        `data/${n % 50}/${n}.bin`,
        Buffer.concat([randomBytes(half), Buffer.alloc(half, `${n} `)]),
      ]),
    ),
  }
}

/** @param {string} dir @param {Files} files */
export const writeFiles = (dir, files) => {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), content)
    if (path.endsWith('.sh')) chmodSync(join(dir, path), 0o755)
  }
}

/** The digest of a bundle tree. @param {Files} files */
export const digestOf = (files) => {
  const records = Object.entries(files)
    .map(([path, content]) => {
      const hash = createHash('sha512').update(content).digest('hex')
      return Buffer.from(`${path}\0${path.endsWith('.sh') ? 'x' : '-'}\0${hash}\n`)
    })
    .sort(Buffer.compare)
  return `sha512-${createHash('sha512').update(Buffer.concat(records)).digest('base64')}`
}

/** Puts `count` overlays into a global scope, with their ledger. @param {string} home @param {number} count */
export const writeOverlays = (home, count) => {
  /** @type {Record<string, unknown>} */
  const capabilities = {}
  for (let n = 0; n < count; n++) {
    const id = `bench-${String(n).padStart(5, '0')}`
    const files = overlayFiles(id)
    writeFiles(join(home, '.gsd/capabilities', id), files)
    capabilities[id] = {
      digest: digestOf(files),
      integrity: null,
      requires: [],
      resolved: { kind: 'local', path: `../bundles/${id}` },
      runtimes: [],
      spec: `../bundles/${id}`,
      surfaces: '',
      version: '1.0.0',
    }
  }
  writeFileSync(join(home, '.gsd/ledger.json'), `${JSON.stringify({ schema: 1, capabilities }, null, 2)}\n`)
}
