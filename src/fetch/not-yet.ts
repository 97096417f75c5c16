import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'
import { formatSpec } from '../spec/format-spec.ts'
import type { Spec } from '../spec/spec.ts'
import type { Fetched } from './fetched.ts'

/** A kind of source that is understood and not fetched by this version. `kind`: in the plural, for the message. */
export const notYet =
  (kind: string) =>
  async (spec: Spec): Promise<Fetched> => {
    throw new GsdError('SPEC_NOT_YET', `${quote(formatSpec(spec))}: ${kind} cannot be installed from yet`, {
      hint: 'bring it to this machine as a folder or .tgz file and install that: ./dir, ./file.tgz',
    })
  }
