/**
 * A part of a capability that runs code or receives data, with everything that decides what it does. Consent is given to
 * surfaces; nothing else can run. Hashes are hex sha512 of the bundle's file, null where the file is not in the bundle.
 */
export type Surface =
  | {
      readonly kind: 'hook'
      readonly event: string
      readonly matcher: string | null
      /** Seconds. */
      readonly timeout: number | null
      readonly script: string
      readonly sha512: string | null
    }
  | {
      readonly kind: 'mcp-server'
      readonly name: string
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
      readonly cwd: string | null
      readonly sha512: string | null
    }
  | {
      readonly kind: 'mcp-remote'
      readonly name: string
      readonly transport: 'http' | 'sse'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'command'
      readonly family: string
      readonly module: string
      readonly router: string
      readonly subcommands: readonly string[]
      readonly sha512: string | null
    }
  | {
      readonly kind: 'gate'
      readonly point: string
      readonly command: string
      /** Seconds. */
      readonly timeout: number | null
      readonly blocking: boolean
      /** What happens when the gate fails to run. */
      readonly onError: 'skip' | 'halt'
      readonly when: string | null
    }
  | {
      readonly kind: 'lane-process'
      readonly slug: string
      readonly binary: string
      readonly args: readonly string[]
      /** Everything else of the manifest that defines the call and the probe. */
      readonly body: Readonly<Record<string, unknown>>
    }
  | {
      readonly kind: 'lane-http'
      readonly slug: string
      /** The host that plans are sent to, unless the key below names another. */
      readonly host: string | null
      readonly hostConfigKey: string | null
      readonly body: Readonly<Record<string, unknown>>
    }
  | {
      /** A file that an agent can be told to run: beside a skill, an agent or a command, or in a bundle without other surfaces. */
      readonly kind: 'skill-script'
      readonly script: string
      readonly executable: boolean
      readonly sha512: string
    }
