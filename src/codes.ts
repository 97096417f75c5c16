/**
 * Every code the program can answer with, and the exit status that goes with it.
 * One closed union: a code that is not in this table does not exist.
 *
 * Exit statuses (contract, "Command line"): 1 a bug here, 2 usage, 3 refused, 4 state, 5 outside, 130 interrupted.
 */
export const CODES = {
  // The command line itself.
  USAGE_UNKNOWN_COMMAND: 2,
  USAGE_UNKNOWN_FLAG: 2,
  USAGE_MISSING_ARGUMENT: 2,
  USAGE_EXTRA_ARGUMENT: 2,
  USAGE_BAD_VALUE: 2,
  USAGE_CONFLICT: 2,
  USAGE_NO_PROJECT: 2,
  USAGE_AMBIGUOUS_SCOPE: 2,

  // Specs.
  SPEC_MALFORMED: 2,
  SPEC_AMBIGUOUS: 2,
  SPEC_REFUSED: 2,
  SPEC_NOT_YET: 2,

  // Bringing bytes here.
  FETCH_NOT_FOUND: 5,
  FETCH_UNREADABLE: 5,
  FETCH_OVERLAPS_SCOPE: 3,

  // sha512 over artifacts and trees.
  INTEGRITY_MALFORMED: 2,
  INTEGRITY_WEAK: 2,
  INTEGRITY_MISMATCH: 3,
  INTEGRITY_NO_ARTIFACT: 2,
  INTEGRITY_DIGEST_MISMATCH: 3,

  // Archives and trees.
  ARCHIVE_NOT_GZIP: 3,
  ARCHIVE_CORRUPT: 3,
  ARCHIVE_UNSAFE: 3,
  ARCHIVE_TOO_LARGE: 3,
  ARCHIVE_NO_BUNDLE: 3,
  ARCHIVE_AMBIGUOUS: 3,

  // What the program keeps, and what it finds on disk.
  STATE_NOT_INSTALLED: 4,
  STATE_OTHER_SOURCE: 4,
  STATE_UNREADABLE: 4,
  STATE_NEWER_SCHEMA: 4,
  STATE_DRIFT: 4,
  STATE_BUSY: 4,
  STATE_CHANGED: 4,
  STATE_LINKED: 4,
  STATE_INTERRUPTED: 4,
  STATE_PERMISSION: 5,
  STATE_DISK_FULL: 5,
  STATE_IO: 5,
  LOCK_HELD: 4,
  LOCK_FAILED: 5,

  // The merged set.
  REGISTRY_ID_COLLISION: 3,
  REGISTRY_REQUIRES_MISSING: 3,
  REGISTRY_REQUIRES_SKIPPED: 3,
  REGISTRY_REQUIRED_BY: 3,

  // Overlays on disk.
  OVERLAY_NO_MANIFEST: 3,
  OVERLAY_UNREADABLE: 3,
  OVERLAY_INVALID: 3,
  OVERLAY_INCOMPATIBLE: 3,
  OVERLAY_FRAGMENT: 3,

  // Trust and policy.
  CONSENT_REQUIRED: 3,
  CONSENT_MISSING: 3,
  CONSENT_CHANGED: 3,
  CONSENT_DECLINED: 3,
  POLICY_REFUSED: 3,

  // Host runtimes and their settings files.
  HOST_UNKNOWN_RUNTIME: 2,
  HOST_UNSUPPORTED: 3,
  HOST_NO_SURFACE: 3,
  HOST_UNKNOWN_EVENT: 3,
  HOST_SCRIPT: 3,
  HOST_SETTINGS_UNPARSABLE: 3,
  HOST_SETTINGS_SHAPE: 3,
  HOST_SETTINGS_FILE: 3,
  HOST_SETTINGS_CHANGED: 4,
  HOST_ENTRY_EDITED: 4,
  HOST_SYNTAX_NOT_READ: 3,

  // Whole reports.
  VALIDATION_FAILED: 3,
  INTERRUPTED: 130,
  INTERNAL_ERROR: 1,
} as const satisfies Record<string, ExitStatus>

/** Process exit status, see the contract's table. */
export type ExitStatus = 0 | 1 | 2 | 3 | 4 | 5 | 130

/** One of the codes in {@link CODES}. */
export type Code = keyof typeof CODES
