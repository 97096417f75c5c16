import { CODES, type ExitStatus } from '../codes.ts'

/** A page of `gsd help <topic>` that is not about a command. */
export interface HelpTopic {
  readonly summary: string
  text(): string
}

export const STATUS_MEANINGS: Readonly<Record<ExitStatus, string>> = {
  0: 'done, or nothing to do',
  1: 'a bug in this program',
  2: 'usage: unknown command or flag, malformed spec',
  3: 'refused: integrity, unsafe archive, invalid manifest, policy, collision, consent missing',
  4: 'state: drift, not installed, lock held, unreadable state file',
  5: 'external: network, git or npm failed, disk full, permission',
  130: 'interrupted; nothing left behind',
}

const exitStatuses = (): string =>
  Object.entries(STATUS_MEANINGS)
    .map(([status, meaning]) => {
      const codes = Object.entries(CODES).flatMap(([code, [exit]]) =>
        String(exit) === status ? [`       ${code}`] : [],
      )
      return [`${status.padStart(5)}  ${meaning}`, ...codes].join('\n')
    })
    .join('\n')

/** Topics by name, in the order of the help. */
export const HELP_TOPICS = {
  specs: {
    summary: 'forms of a source',
    text: () => `A spec names the source of a capability. Quote one that has # or & in it, since a shell reads those itself:
gsd capability install 'github:owner/repo#v1.0.0&path:tools/name'

  ./dir  ../dir  /abs/dir  ~/dir  file:///abs/dir        a folder
  ./x.tgz  /abs/x.tgz  ~/x.tgz  file:///abs/x.tgz        an archive on this machine
  https://host/x.tgz                                     an archive on the web
  https://host/o/r.git[#ref]  git@host:o/r.git           a git repository
  github:o/r  gitlab:o/r  bitbucket:o/r                  a git repository of that service
  git+file:///abs/r  file:///abs/r.git                   a git repository on this machine
  npm:<name>[@<version|range|tag>]                       a package of the npm registry
  <id>@<catalog>  <id>@<range>@<catalog>                 an entry of a configured catalog

A git ref is a tag or branch, or #tag:…, #branch:…, #sha:<40 hex>, #semver:<range>;
&path:<sub/dir> after it selects a bundle in a subfolder.`,
  },
  policy: {
    summary: 'how to limit where capabilities may come from',
    text: () => `Policy limits which sources outside this machine may be used. It is read from three files:

  /etc/gsd/policy.json              the machine's: {"schema": 1, "strict_known_registries": […]}
  ~/.gsd/policy.json                yours, in the same form
  <project>/.planning/config.json   the project's: {"capabilities": {"strict_known_registries": […]}}

  no list       everything is allowed
  []            nothing from outside
  ["github.com", "npm", "npm:@acme", "catalog:team"]
                a host and its subdomains, all npm packages, those of one scope, everything a catalog lists

If there are several lists, a source must pass all of them; a project can narrow, never widen. A list that is
unreadable or not a list of strings refuses every outside source. The host that is checked is the one contacted:
after a shorthand is expanded, and at every redirect. Folders and files of this machine are always allowed; paths of
another machine (\\\\host\\share, //host/share, file://host/share) are always refused.

gsd capability info <spec> shows the verdict and the file that decides.
`,
  },
  scopes: {
    summary: 'global and project, and how the project is found',
    text: () => `global    capabilities under $GSD_HOME, else your home: <root>/.gsd/capabilities
project   capabilities under the project folder: <project>/.gsd/capabilities

The project is --project <dir>, else the nearest folder at or above the working directory
that holds .gsd, .planning or .git. Your home and the global root never count as a project.
--scope global|project chooses; without it, commands that read use both.

Capabilities of a project act only after you consented to them on this machine.`,
  },
  environment: {
    summary: 'environment variables that are read',
    text: () => `GSD_HOME             root of the global scope, instead of your home
GSD_VERSION          GSD version to check capabilities against (--host-version wins)
NO_COLOR             no colours, if set and not empty
HOME                 your home
XDG_CACHE_HOME       folder that holds the cache, instead of ~/.cache (not on macOS)
HTTPS_PROXY          proxy for archives and catalogs; NO_PROXY lists hosts to contact directly
NODE_EXTRA_CA_CERTS  file with extra certificate authorities

git and npm run with your own variables and configuration. Variables that move a host's folder are read too, such as
CLAUDE_CONFIG_DIR.`,
  },
  'exit-statuses': { summary: 'exit statuses and their error codes', text: exitStatuses },
} satisfies Record<string, HelpTopic>
