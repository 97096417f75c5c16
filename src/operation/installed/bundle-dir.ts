import { join } from 'node:path'
import type { Context } from '../../context.ts'
import { realFileOf } from '../../host/real-file.ts'
import type { ScopePlaces } from '../../store/places.ts'

/** Where the bundle will be, by its real path. In a home a folder above may be a link; the bundle's own never is one. */
export const bundleDir = ({ disk }: Context, { capabilities }: ScopePlaces, id: string): string =>
  join(realFileOf(disk, capabilities).file, id)
