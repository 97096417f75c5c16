import { afterEach } from 'vitest'
import { makeRepository, type Repository } from './git.ts'
import { startRegistry } from './npm-registry.ts'
import { bundleFiles, type Scratch } from './scratch.ts'
import type { TestServer } from './servers.ts'

/** One version of a capability, as its author publishes it. */
export interface Release {
  readonly version: string
  /** Range of host versions that it needs. */
  readonly gsd?: string
  /** `compatVersions` of its manifest. */
  readonly table?: Readonly<Record<string, string>>
  /** Other members of the manifest. */
  readonly manifest?: Readonly<Record<string, unknown>>
  /** Path → content, in addition to the manifest and the script of its hook. */
  readonly files?: Readonly<Record<string, string>>
}

/** Publishes the same releases by every kind of source, for one file of tests. */
export interface Releases {
  /** A repository with a tag `v<version>` for each. */
  git(id: string, releases: readonly Release[]): Repository
  /** A registry that is set in the user's `.npmrc`; the last release is tagged `latest`. */
  npm(id: string, releases: readonly Release[]): Promise<TestServer>
  /** The catalog `team`, a local file that points to folders. */
  catalog(capabilities: Readonly<Record<string, readonly Release[]>>): void
}

export const filesOf = (
  id: string,
  { version, gsd, table, manifest = {}, files = {} }: Release,
): Record<string, string> => ({
  ...bundleFiles(id, {
    version,
    ...(gsd === undefined ? {} : { engines: { gsd } }),
    ...(table === undefined ? {} : { compatVersions: table }),
    ...manifest,
  }),
  ...files,
})

export const useReleases = (scratch: Scratch): Releases => {
  const open: TestServer[] = []
  afterEach(async () => {
    await Promise.all(open.splice(0).map((web) => web.close()))
  })
  return {
    git: (id, releases) => {
      const repository = makeRepository(scratch.path('sources', `${id}.git`))
      for (const release of releases) {
        repository.commit(filesOf(id, release), release.version)
        repository.tag(`v${release.version}`)
      }
      return repository
    },
    npm: async (id, releases) => {
      const packed = releases.map((release) => [
        release.version,
        {
          files: Object.entries(filesOf(id, release)).map(([path, body]) => ({ path: `package/${path}`, body })),
        },
      ])
      const web = await startRegistry({ packages: { [id]: Object.fromEntries(packed) } })
      open.push(web)
      scratch.put('home/.npmrc', `registry=${web.url}/\n`)
      return web
    },
    catalog: (capabilities) => {
      const list = Object.entries(capabilities).map(([id, releases]) => {
        const versions = releases.map((release) => {
          const folder = `catalog/${id}/${release.version}`
          for (const [path, content] of Object.entries(filesOf(id, release))) scratch.put(`${folder}/${path}`, content)
          return [release.version, { spec: `./${id}/${release.version}` }]
        })
        return [id, { title: id, versions: Object.fromEntries(versions) }]
      })
      scratch.put('catalog/catalog.json', JSON.stringify({ schema: 1, capabilities: Object.fromEntries(list) }))
      scratch.put(
        'home/.gsd/config.json',
        JSON.stringify({ schema: 1, catalogs: { team: scratch.path('catalog') } }),
        0o600,
      )
    },
  }
}
