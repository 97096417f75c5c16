import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

const INSIDE = `${sep}node_modules${sep}`
const LICENCE_FILE = /^(licen[cs]e|notice|copying)(\.|-|$)/i

/** Folders of the packages that bundled modules come from. */
export const packageFolders = (moduleIds: Iterable<string>): ReadonlySet<string> => {
  const folders = new Set<string>()
  for (const id of moduleIds) {
    const at = id.lastIndexOf(INSIDE)
    if (at < 0) continue
    const [first = '', second = ''] = id.slice(at + INSIDE.length).split(sep)
    folders.add(join(id.slice(0, at + INSIDE.length), first.startsWith('@') ? join(first, second) : first))
  }
  return folders
}

/** The licences of packages, as they ask to be shown wherever their code goes. */
export const noticesOf = (folders: Iterable<string>): string => {
  const parts = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string
      readonly version: string
      readonly license?: string
    }
    const texts = readdirSync(folder)
      .filter((file) => LICENCE_FILE.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim())
    return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n')
  })
  return `This program contains the following packages.\n\n${parts.sort().join(`\n\n${'-'.repeat(80)}\n\n`)}\n`
}
