import { GsdError } from '../../errors.ts'
import type { ScopePlaces } from '../../store/places.ts'
import { finding, type Finding } from './finding.ts'

/** What cannot be looked at is a finding too, and keeps nobody from the others. */
export const looked = (places: ScopePlaces, part: () => readonly Finding[]): readonly Finding[] => {
  try {
    return part()
  } catch (error) {
    if (!(error instanceof GsdError)) throw error
    const { code, message, hint = 'gsd capability doctor: again, when it can be read' } = error
    return [finding('hand', places, code, message, hint)]
  }
}
