/** `node scripts/reproducible.js`: builds again and fails where a file of `dist` has other bytes than before. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const DIST = join(import.meta.dirname, '../dist')

const hashes = () =>
  readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((file) => `${createHash('sha256').update(readFileSync(file)).digest('hex')}  ${file.slice(DIST.length + 1)}`)

const before = hashes()
execFileSync('npm', ['run', 'build'], { stdio: 'ignore' })
const other = hashes().filter((line) => !before.includes(line))
if (before.length === 0 || other.length > 0) throw new Error(`a second build differs:\n${other.join('\n')}`)
process.stdout.write(`${before.length} files, the same bytes in both builds\n`)
