import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import type { BundleFile, StagedBundle } from '../../src/bundle/bundle.ts'
import { stageBundle, type StageOptions } from '../../src/bundle/stage-bundle.ts'
import { GsdError } from '../../src/errors.ts'
import { realDisk } from '../../src/platform/disk.ts'
import { type TarEntry, tgz } from './tar.ts'

/** A scratch folder for each test of a file, with functions that make and stage sources. */
export interface BundleFixture {
  readonly dir: string
  /** Absolute path of an entry in the scratch folder. */
  path(...path: readonly string[]): string
  /** Writes files below `folder`; a value may state its mode. */
  folder(folder: string, files: Readonly<Record<string, string | Buffer>>): string
  archive(bytes: Buffer): string
  stageArchive(bytes: Buffer, options?: Partial<StageOptions>): Promise<StagedBundle>
  stageFolder(folder: string, options?: Partial<StageOptions>): Promise<StagedBundle>
  /** Stages an archive of these entries and returns the error, after a check that nothing is left of it. */
  refusal(...entries: readonly (TarEntry | Buffer)[]): Promise<GsdError>
  refusalOf(staging: Promise<unknown>): Promise<GsdError>
  /** Everything in the scratch folder except the sources: path, mode and content. */
  written(): string[]
}

export const useBundleFixture = (): BundleFixture => {
  let dir = ''
  let count = 0
  beforeEach(() => {
    dir = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'gsd-bundle-')))
    count = 0
  })
  afterEach(() => {
    fs.rmSync(dir, { recursive: true, force: true })
  })

  const room: BundleFixture = {
    get dir() {
      return dir
    },
    path: (...path) => join(dir, ...path),
    folder(folder, files) {
      const root = join(dir, 'source', folder)
      fs.mkdirSync(root, { recursive: true })
      for (const [path, content] of Object.entries(files)) {
        fs.mkdirSync(join(root, path, '..'), { recursive: true })
        fs.writeFileSync(join(root, path), content)
      }
      return root
    },
    archive(bytes) {
      fs.mkdirSync(join(dir, 'source'), { recursive: true })
      const file = join(dir, 'source', `archive-${++count}.tgz`)
      fs.writeFileSync(file, bytes)
      return file
    },
    stageArchive: (bytes, options) =>
      stageBundle(
        { kind: 'archive', file: room.archive(bytes) },
        { disk: realDisk, into: room.path(`staged-${++count}`), ...options },
      ),
    stageFolder: (folder, options) =>
      stageBundle(
        { kind: 'folder', dir: folder },
        { disk: realDisk, into: room.path(`staged-${++count}`), ...options },
      ),
    refusal: (...entries) => room.refusalOf(room.stageArchive(tgz(...entries))),
    async refusalOf(staging) {
      const error = await staging.then(
        () => new Error('nothing was refused'),
        (reason: unknown) => reason,
      )
      if (!(error instanceof GsdError)) throw error
      const left = room.written()
      if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`)
      return error
    },
    written: () => fs.readdirSync(dir).filter((name) => name !== 'source'),
  }
  return room
}

/** Every file and folder below `dir` with its mode: `path mode`, sorted. */
export const modesBelow = (dir: string): string[] =>
  fs
    .readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .map((path) => `${path} ${(fs.statSync(join(dir, path)).mode & 0o7777).toString(8)}`)
    .toSorted()

export const pathsOf = (files: readonly BundleFile[]): string[] => files.map((file) => file.path)
