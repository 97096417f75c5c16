import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ARGUMENTS = { version: '--version', help: '--help', h: '-h' }

/** Lets the program that was just built say once what `bin/gsd.js` answers before it reads the program. */
export const writeAnswers = (dist: string): void => {
  mkdirSync(join(dist, 'answers'), { recursive: true })
  for (const [name, argument] of Object.entries(ARGUMENTS)) {
    const text = execFileSync(process.execPath, [join(dist, 'cli.cjs'), argument], { encoding: 'utf8' })
    writeFileSync(join(dist, `answers/${name}.txt`), text)
  }
}
