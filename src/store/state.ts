import type { Disk } from './disk.ts'
import { isCapabilityId } from './names.ts'
import type { ScopePlaces } from './places.ts'
import { memberOf, membersOf, optional, textOf } from './shape.ts'
import { readStoreFile, type Kind, type StoreFile } from './store-file.ts'

/** What was switched by hand in a scope: `{"schema":1,"capabilities":{"<id>":"disabled"}}`. */
export interface State {
  readonly capabilities: ReadonlyMap<string, Switch>
}
export type Switch = 'enabled' | 'disabled'

/** Reads `state.json`. Never throws for what it finds. */
export const readState = (disk: Disk, places: ScopePlaces): StoreFile<State> =>
  readStoreFile(disk, places.state, STATE, { links: places.trusted })

export const STATE: Kind<State> = {
  name: 'state file',
  schema: 1,
  hint: 'mend that file, or move it away to have everything enabled again',
  read: (root) => ({
    capabilities: new Map(
      optional(memberOf(root, 'capabilities'), (at) =>
        membersOf(at, isCapabilityId, 'capability id').map(
          ([id, value]) => [id, textOf(value, isSwitch, 'switch') as Switch] as const,
        ),
      ),
    ),
  }),
}

const isSwitch = (text: string): boolean => text === 'enabled' || text === 'disabled'

/** Whether the user, or the project, switched a capability off. A project may disable, never enable what the user disabled. */
export const isDisabled = (id: string, user: State | null, project: State | null): boolean =>
  user?.capabilities.get(id) === 'disabled' || project?.capabilities.get(id) === 'disabled'
