import type { Disk } from '../platform/disk.ts'
import { memberOf, membersOf, optional, textOf } from './json-member.ts'
import { isCapabilityId } from './name-rules.ts'
import { type StateFileKind } from './parse-state-file.ts'
import type { ScopePaths } from './scope-paths.ts'
import { readStateFile, type StateFile } from './state-file.ts'

/** Capabilities enabled or disabled by the user in a scope: `{"schema":1,"capabilities":{"<id>":"disabled"}}`. */
export interface Switches {
  readonly byCapability: ReadonlyMap<string, Switch>
}
export type Switch = 'enabled' | 'disabled'

/** Reads `state.json`. Never throws for what it finds. */
export const readSwitches = (disk: Disk, paths: ScopePaths): StateFile<Switches> =>
  readStateFile(disk, paths.state, SWITCHES_FILE, { followLinks: paths.trusted })

export const SWITCHES_FILE: StateFileKind<Switches> = {
  name: 'state file',
  schema: 1,
  hint: 'fix that file, or move it away to enable everything again',
  parse: (root) => ({
    byCapability: new Map(
      optional(memberOf(root, 'capabilities'), (at) =>
        membersOf(at, isCapabilityId, 'capability id').map(
          ([id, value]) => [id, textOf(value, isSwitch, 'switch') as Switch] as const,
        ),
      ),
    ),
  }),
}

const isSwitch = (text: string): boolean => text === 'enabled' || text === 'disabled'

/** Whether the user or the project disabled a capability. A project cannot enable what the user disabled. */
export const isDisabled = (id: string, user: Switches | null, project: Switches | null): boolean =>
  user?.byCapability.get(id) === 'disabled' || project?.byCapability.get(id) === 'disabled'
