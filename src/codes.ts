/**
 * Every code of the program itself, with its exit status and its meaning for the reference page. The rules of the manifest
 * have codes of their own, in `manifest/rules/table.ts`.
 *
 * Exit statuses (contract, "Command line"): 1 a bug here, 2 usage, 3 refused, 4 state, 5 outside, 130 interrupted.
 */
export const CODES = {
  // The command line itself.
  USAGE_UNKNOWN_COMMAND: [2, 'No command or help topic has that name. The message names the nearest one.'],
  USAGE_UNKNOWN_FLAG: [2, 'The command has no flag of that name. The message names the nearest one.'],
  USAGE_MISSING_ARGUMENT: [2, 'The command needs one more argument or word.'],
  USAGE_EXTRA_ARGUMENT: [2, 'The command takes fewer arguments.'],
  USAGE_BAD_VALUE: [2, 'A flag, an argument or an environment variable has a value that is not allowed.'],
  USAGE_CONFLICT: [2, 'Two parts of the command line exclude each other, or a flag works with one argument only.'],
  USAGE_NO_PROJECT: [2, 'The project scope was requested, but there is no project here, or it is not a folder.'],
  USAGE_UNKNOWN_KEY: [2, 'No capability declares the configuration key. The message names the nearest one.'],
  USAGE_AMBIGUOUS_SCOPE: [2, 'The id is in both scopes, or the ids are in different ones; `--scope` names one.'],

  // Specs.
  SPEC_MALFORMED: [2, 'The text has none of the forms of a spec.'],
  SPEC_AMBIGUOUS: [2, 'The text has several possible meanings; the hint gives the exact form of each.'],
  SPEC_REFUSED: [2, 'Such a source is never accepted: a program to run, plain http, a path out of its folder.'],
  SPEC_UNKNOWN_CATALOG: [2, 'No catalog of that name is configured.'],

  // Fetching.
  FETCH_NOT_FOUND: [5, 'The source does not exist: no such file, folder, repository, package or address.'],
  FETCH_UNREADABLE: [5, 'The source exists but cannot be read, or it changed while it was read.'],
  FETCH_OVERLAPS_SCOPE: [3, 'The source is inside the folder of installed capabilities, or contains it.'],
  FETCH_TAG_MOVED: [3, 'A tag points to another commit than the one in the ledger.'],
  FETCH_OLDER: [3, 'The source now gives an older version than the installed one; `--downgrade` takes it.'],
  FETCH_UNKNOWN: [5, 'The check for a newer version of a source failed.'],
  FETCH_OFFLINE: [5, 'The source must be fetched, and `--offline` forbids it.'],
  FETCH_NETWORK: [5, 'The connection failed or broke.'],
  FETCH_TIMEOUT: [5, 'The server took too long.'],
  FETCH_HTTP: [5, 'The server answered with something other than the file.'],
  FETCH_AUTH: [5, 'The server requires credentials, or rejects those that were sent.'],
  FETCH_REDIRECT: [5, 'The server redirects too often, or to an address that is not allowed.'],
  FETCH_GIT: [5, 'git failed; the message contains its output.'],
  FETCH_NO_GIT: [5, 'This source needs git, which is not on the PATH.'],
  FETCH_NPM: [5, 'npm failed; the message contains its output.'],
  FETCH_NO_NPM: [5, 'This source needs npm, which is not on the PATH.'],
  FETCH_NO_REF: [5, 'The repository has no such branch, tag or commit.'],
  FETCH_NO_VERSION: [5, 'No version of the source matches the request.'],
  FETCH_INCOMPLETE: [5, 'Some capabilities could not be restored; all others were. `details` names each.'],
  FETCH_REVIEW_FAILED: [5, 'A reviewer that was named failed, or all did. The document has the reasons.'],
  FETCH_CATALOG: [5, 'The catalog cannot be used, or has no such entry.'],

  // sha512 over artifacts and trees.
  INTEGRITY_MALFORMED: [2, 'The text is not a single sha512 integrity.'],
  INTEGRITY_WEAK: [2, 'The integrity uses an algorithm other than sha512.'],
  INTEGRITY_STATED: [3, 'A registry states an integrity for a package that is not exactly one sha512.'],
  INTEGRITY_MISMATCH: [3, 'The archive does not match the expected integrity. Nothing was unpacked.'],
  INTEGRITY_NO_ARTIFACT: [2, '`--integrity` checks an archive, and this source has none.'],
  INTEGRITY_GIT_OBJECT: [3, 'An object of git is malformed, missing, or does not have the content of its id.'],
  INTEGRITY_DIGEST_MISMATCH: [
    3,
    'The bundle does not match the digest in its manifest, in a catalog or in the ledger.',
  ],

  // Archives and trees.
  ARCHIVE_NOT_GZIP: [3, 'The file is something other than a `.tgz`: a zip file, a web page, an empty file.'],
  ARCHIVE_CORRUPT: [3, 'The archive is damaged, ends early, or has data after its end.'],
  ARCHIVE_UNSAFE: [
    3,
    'An entry could write outside the bundle, is not a plain file or folder, or has a name that is not portable.',
  ],
  ARCHIVE_TOO_LARGE: [3, 'The bundle exceeds a limit: number of files, size of a file, total size, compression ratio.'],
  ARCHIVE_NO_BUNDLE: [3, 'The source has no `capability.json` in a place where it can be.'],
  ARCHIVE_AMBIGUOUS: [3, 'The source contains several capabilities, and the spec does not say which one to use.'],
  ARCHIVE_SUSPECT: [3, 'A secret, an archive or a file of an editor would become part of a bundle.'],
  ARCHIVE_LEFT_OUT: [3, 'A file of the source was left out because it is never part of a bundle.'],

  // A manifest that breaks rules; the findings carry the rules' own codes.
  MANIFEST_INVALID: [3, 'The manifest breaks rules; each finding has the code of its rule.'],

  // State files and other files on disk.
  STATE_NOT_INSTALLED: [4, 'No capability of that id is installed in the scope.'],
  STATE_OTHER_SOURCE: [4, 'The capability is installed from another source.'],
  STATE_LOCATOR: [4, 'The same content now has another commit, tag or integrity, which the ledger records.'],
  STATE_UNREADABLE: [4, 'A file of the program cannot be read or is invalid. It stays so, and changes are refused.'],
  STATE_CONFIG_INVALID: [4, 'A configuration file contains something invalid; that part is ignored.'],
  STATE_CONFIG_TEXT: [4, 'A boolean in a configuration file is written as a text; it counts as a boolean.'],
  STATE_CONFIG_TWICE: [4, 'A configuration key is set member by member and as one dotted member; the former counts.'],
  STATE_NEWER_SCHEMA: [4, 'A newer version wrote the file. It stays as it is.'],
  STATE_DRIFT: [4, 'Installed files differ from what was installed, or from the ledger.'],
  STATE_UNTRACKED: [4, 'A folder of bundles belongs to no ledger.'],
  STATE_DISABLED: [4, 'The user disabled the capability, and a project cannot enable it.'],
  STATE_NO_REVIEWER: [4, 'No reviewer lane can run; the message says why not.'],
  STATE_NO_PLAN: [4, 'The phase folder has no plan that can be reviewed.'],
  STATE_NOT_REVIEWED: [4, 'A file of the phase is left out of the review: it is a link, too long or not UTF-8.'],
  STATE_BUSY: [4, 'Another operation is running; the answer shows the state before it.'],
  STATE_CHANGED: [4, 'Something else changed the files of this command while it ran.'],
  STATE_CACHE_UNSAFE: [4, 'A folder of the cache is a link, belongs to another user, or can be written to by others.'],
  STATE_LINKED: [4, 'A path is a link where links are not followed.'],
  STATE_NOT_A_FILE: [4, 'A path is neither a regular file nor a folder.'],
  STATE_INTERRUPTED: [4, 'An earlier operation was interrupted and cannot be finished or undone yet.'],
  STATE_PERMISSION: [5, 'The system does not allow this user to read or write a path.'],
  STATE_DISK_FULL: [5, 'The disk is full, or the disk quota is used up.'],
  STATE_IO: [5, 'The disk or the system reported an error.'],
  LOCK_HELD: [4, 'Another process held the lock for longer than a command waits. The message names it.'],
  LOCK_FAILED: [5, 'The lock cannot be taken, for a reason other than another process.'],

  // The merged set.
  REGISTRY_ID_COLLISION: [3, 'Another capability has that id.'],
  REGISTRY_SKILL_COLLISION: [3, 'Another capability provides a skill of that name.'],
  REGISTRY_AGENT_COLLISION: [3, 'Another capability provides an agent of that name.'],
  REGISTRY_CONFIG_COLLISION: [3, 'Another capability declares that configuration key, or one above or below it.'],
  REGISTRY_CONFIG_CENTRAL: [3, 'The configuration key belongs to GSD itself.'],
  REGISTRY_COMMAND_COLLISION: [3, 'Another capability has that command family.'],
  REGISTRY_LANE_SLUG_COLLISION: [3, 'Another reviewer lane has that slug.'],
  REGISTRY_LANE_FLAG_COLLISION: [3, 'Another reviewer lane has that flag.'],
  REGISTRY_LANE_SECTION_COLLISION: [3, 'Another reviewer lane has that section of the review.'],
  REGISTRY_ARTEFACT_COLLISION: [3, 'Another step produces that artefact at the same point.'],
  REGISTRY_SHADOWED: [3, 'The project has a capability of that id, which takes precedence over the global one.'],
  REGISTRY_REQUIRES_MISSING: [3, 'It requires a capability that is not installed.'],
  REGISTRY_REQUIRES_SKIPPED: [3, 'It requires a capability that was skipped.'],
  REGISTRY_REQUIRES_CYCLE: [3, 'Capabilities require each other in a cycle.'],
  REGISTRY_REQUIRES_TIER: [3, 'It requires a capability of a higher tier.'],
  REGISTRY_CONSUMES_UNSATISFIED: [3, 'A step consumes an artefact that nothing produces before it.'],
  REGISTRY_HOOK_CYCLE: [3, 'Steps at one point wait for artefacts of each other, or a step for its own.'],
  REGISTRY_COMMAND_UNKNOWN: [
    3,
    'A step names a command of a capability that is neither itself nor one that it requires.',
  ],
  REGISTRY_UNKNOWN_RUNTIME: [3, 'It names host runtimes that this version does not know.'],
  REGISTRY_KEY_INACTIVE: [3, 'The configuration key belongs to a capability that is not active; `--force` writes it.'],
  REGISTRY_NOT_A_MANIFEST: [3, 'A value in the list of manifests is not a manifest.'],
  REGISTRY_REQUIRED_BY: [3, 'Another capability requires the one to remove.'],

  // Overlays on disk.
  OVERLAY_LANE_UNAVAILABLE: [
    3,
    'A reviewer lane cannot run, or asks for the review itself; the review goes on without it.',
  ],
  OVERLAY_NO_MANIFEST: [3, 'The folder of an installed capability has no `capability.json`.'],
  OVERLAY_UNREADABLE: [3, 'The folder or the manifest of an installed capability cannot be read.'],
  OVERLAY_INVALID: [3, 'The manifest of an installed capability breaks a rule.'],
  OVERLAY_INCOMPATIBLE: [3, 'The capability does not support this version of GSD (`engines`).'],
  OVERLAY_DOWNGRADED: [3, 'An older version is used because the newest one does not support this GSD.'],
  OVERLAY_FRAGMENT: [3, 'A fragment of the capability is missing, too large, or not text.'],
  OVERLAY_NOT_A_FILE: [3, 'The `capability.json` of an installed capability is not a regular file.'],
  OVERLAY_SYNTAX: [3, 'The manifest of an installed capability is not JSON.'],
  OVERLAY_UNKNOWN_ROLE: [3, 'The capability has a role that this version does not know.'],
  OVERLAY_RESERVED_ID: [3, 'The id is reserved for capabilities that are shipped with GSD.'],
  OVERLAY_ID_MISMATCH: [3, 'The folder and the manifest have different names.'],
  OVERLAY_LINKED: [3, 'A folder of the project scope is a link, so nothing in it is loaded.'],
  OVERLAY_MISSING: [3, 'The capability is in the ledger, but its bundle does not exist.'],
  OVERLAY_ORPHAN: [3, 'The capability is loaded, but it is not in the ledger.'],
  OVERLAY_DISABLED: [3, 'The capability is disabled.'],
  OVERLAY_FRAGMENT_ESCAPED: [3, 'A text of a capability looked like a part of the rendered document and was escaped.'],
  OVERLAY_GATE_LOST: [3, 'A gate is not checked, because its capability is not loaded.'],
  OVERLAY_GATE_ERROR: [3, 'A gate could not be evaluated, and the loop continues.'],
  OVERLAY_FAMILY_INACTIVE: [3, 'The command family belongs to a capability that is not active.'],
  OVERLAY_FAMILY_HOST: [3, 'The command family is a part of GSD Core; this program does not contain its module.'],
  OVERLAY_FAMILY_MODULE: [3, 'The module of a command family cannot be read, or is not a file of its capability.'],
  OVERLAY_FAMILY_FAILED: [5, 'The router of a command family failed, took too long, or is not exported.'],
  OVERLAY_FIRST_PARTY: [1, 'The capabilities that are shipped with the program cannot be read.'],

  // Trust and policy.
  CONSENT_REQUIRED: [3, 'Consent is needed, and there is no terminal to ask on.'],
  CONSENT_MISSING: [3, 'A capability of this project was never trusted on this machine, so it is inactive.'],
  CONSENT_CHANGED: [3, 'A capability of this project changed since it was trusted, so it is inactive.'],
  CONSENT_MOVED: [
    3,
    'The project was trusted in another folder, which no longer exists, so its capabilities are inactive.',
  ],
  CONSENT_DECLINED: [3, 'The user did not give consent.'],
  CONSENT_HIDDEN_TEXT: [3, 'A text file contains characters that are invisible or that reorder the text around them.'],
  CONSENT_PROSE: [
    3,
    'Text that agents read changes with an update; its files and lines are listed before it is taken.',
  ],
  CONSENT_LOOK_ALIKE: [3, 'A name can be mistaken for one that is shipped with the program.'],
  POLICY_REFUSED: [3, 'A policy does not allow that source.'],
  POLICY_UNREADABLE: [3, 'A policy cannot be read or is not valid, so every source from outside is refused.'],

  // Host runtimes and their settings files.
  HOST_UNKNOWN_RUNTIME: [2, 'No host runtime has that name. The message names the nearest one.'],
  HOST_UNSUPPORTED: [3, 'The capability does not support that host, or the host lacks what a hook needs.'],
  HOST_NO_SURFACE: [3, 'The program cannot write hooks for that host.'],
  HOST_UNKNOWN_EVENT: [3, 'The host has no event of that name.'],
  HOST_SCRIPT: [3, 'The script of a hook does not exist, is outside the bundle, or cannot be run.'],
  HOST_SETTINGS_UNPARSABLE: [3, 'The settings file has a syntax error. It stays as it is.'],
  HOST_SETTINGS_SHAPE: [3, 'The settings file has another value where hooks belong. It stays as it is.'],
  HOST_SETTINGS_FILE: [3, 'The settings file is never edited: read-only, hard-linked, not a file, not UTF-8.'],
  HOST_LINKED: [3, 'In a project, a link leads a host file out of it, or nowhere. Nothing was written there.'],
  HOST_SETTINGS_CHANGED: [4, 'The settings file changed while it was read or edited. Nothing was written.'],
  HOST_ENTRY_EDITED: [4, 'Someone edited a hook in the settings since it was written.'],
  HOST_SERVER_NAME: [3, 'A host already has an MCP server of that name.'],
  HOST_SYNTAX_NOT_READ: [
    3,
    'The host does not accept part of the settings file: comments, trailing commas, a byte order mark, a member.',
  ],
  HOST_NOT_WIRED: [3, 'The capability has hooks, and none is written into any host.'],
  HOST_ASKS_AGAIN: [3, 'The host will ask again about hooks that were already approved.'],
  HOST_HOOKS_OFF: [3, 'A setting of the host switches all hooks off.'],
  HOST_TRUST_FIRST: [3, 'The host runs new hooks only after the user trusts them there.'],
  HOST_CORE_SWITCH: [3, 'GSD Core has a switch of its own for a capability, which differs.'],
  HOST_RUNS_TWICE: [3, 'A capability is wired into one host in the home and in a project, so its hooks run twice.'],
  HOST_READS_TWICE: [3, 'Two hosts read the same file, so a hook would run twice.'],

  // The skills manifest v1 and its host.
  MANIFEST_SKILLS_INDEX: [
    3,
    'The skills index cannot be used at all: it is not a JSON array, too large, or not a plain file.',
  ],
  MANIFEST_SKILL_ENTRY: [3, 'An entry of the skills index lacks a field, or a field has the wrong type.'],
  MANIFEST_SKILL_PATH: [3, 'The path of a skill is not made of plain names below `skills/`.'],
  MANIFEST_SKILL_DUPLICATE: [3, 'Two skills have the same id, or the same but for upper and lower case.'],
  MANIFEST_SKILL_ID: [3, 'The id of a skill cannot be written as a mention.'],
  MANIFEST_SKILL_LABEL: [3, 'The risk of a skill is not one of the known labels.'],
  MANIFEST_SKILL_DATE: [3, 'The date of a skill is not an ISO date.'],
  MANIFEST_SKILL_FRONTMATTER: [3, 'The frontmatter of a `SKILL.md` is not valid YAML, or lacks something.'],
  MANIFEST_SKILL_ENCODING: [3, 'A file of a skill is not UTF-8 text.'],
  MANIFEST_SKILLS_LOCK: [
    3,
    'The lock of the skills index cannot be read or understood. Nothing is read while it is there.',
  ],
  MANIFEST_SKILL_STACK: [3, 'The file is not a stack of skills, or the stack breaks a rule.'],
  STATE_NO_SKILLS_INDEX: [4, 'There is no `skills_index.json` in the skills root.'],
  STATE_NO_SKILL: [4, 'The skills index has no skill of that id.'],
  STATE_SKILL_MISSING: [4, 'A file of a skill is missing, cannot be read, or changed while it was read.'],
  STATE_SKILLS_DRIFT: [4, 'The skills index, its mirror or a stack is out of date.'],
  POLICY_SKILL_CONFINED: [
    3,
    'A file of a skill is a link, has a second name, is not a regular file, or lies outside the skills root.',
  ],
  POLICY_SKILL_SIZE: [3, 'A skill is larger than one body, or all bodies of a turn together, may be.'],
  POLICY_SKILLS_PER_TURN: [3, 'More skills are mentioned than a turn may load.'],
  POLICY_SKILL_STACK: [3, 'The policy of a stack does not allow the risk or the source of a skill.'],
  INTEGRITY_SKILL_CHANGED: [3, 'The index or a skill is not the one that the lock or the stack was made from.'],

  // Whole reports.
  VALIDATION_FAILED: [3, 'At least one error was found; each finding has its own code.'],
  INTERRUPTED: [130, 'The command was interrupted. Nothing was left behind.'],
  INTERNAL_ERROR: [1, 'A bug in this program.'],
} as const satisfies Record<string, readonly [exit: ExitStatus, meaning: string]>

/** Exit status of the process. */
export type ExitStatus = 0 | 1 | 2 | 3 | 4 | 5 | 130

/** One of the codes in {@link CODES}. */
export type Code = keyof typeof CODES

/** The exit status of a command that ends with this code. */
export const exitStatusOf = (code: Code): ExitStatus => CODES[code][0]

export const isCode = (code: string): code is Code => Object.hasOwn(CODES, code)
