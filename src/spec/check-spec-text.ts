import { GsdError } from '../errors.ts'
import { quote } from '../redact.ts'

/** Longest spec that is read, in UTF-16 code units; no supported system has longer paths. */
export const MAX_SPEC_LENGTH = 4096

const CONTROL_OR_LONE_SURROGATE = /[\u0000-\u001f\u007f-\u009f\ud800-\udfff]/u
const DRIVE = /^[A-Za-z]:(?:[\\/]|$)/
const BACKSLASH_RELATIVE = /^(?:\.{1,2}|~)\\/

/** Refuses texts that no form accepts. */
export const checkSpecText = (text: string): void => {
  if (text.trim() === '') {
    throw new GsdError('SPEC_MALFORMED', 'the spec is empty', {
      hint: 'write ./dir, ./file.tgz, npm:<name>, github:<owner>/<repo> or a url',
    })
  }
  if (text.length > MAX_SPEC_LENGTH) {
    throw new GsdError(
      'SPEC_MALFORMED',
      `${quote(text)} is ${text.length} characters long; a spec has at most ${MAX_SPEC_LENGTH}`,
      { hint: 'name the folder or archive by a shorter path, or move it' },
    )
  }
  checkCharacters(text)
  if (text.startsWith('-')) {
    throw new GsdError('SPEC_REFUSED', `${quote(text)} starts with "-", as a flag does`, {
      hint: `for a folder write ./${text}`,
    })
  }
  if (text.startsWith('\\\\') || text.startsWith('//')) throw networkPathError(text)
  if (DRIVE.test(text) || BACKSLASH_RELATIVE.test(text)) {
    throw new GsdError('SPEC_MALFORMED', `${quote(text)} is a Windows path`, {
      hint: 'write paths with "/": ./dir, ../dir, /abs/dir, ~/dir',
    })
  }
}

/** Refuses NUL, other control characters and half surrogates, in the text as typed and in what it decodes to. */
export const checkCharacters = (text: string): void => {
  if (!CONTROL_OR_LONE_SURROGATE.test(text)) return
  throw new GsdError('SPEC_REFUSED', `${quote(text)} contains a control character or half a character`, {
    hint: 'remove it from the spec',
  })
}

/** A network path is a source from outside whose host a policy cannot check. */
export const networkPathError = (text: string): GsdError =>
  new GsdError('SPEC_REFUSED', `${quote(text)} is a network path`, {
    hint: 'copy it to this machine, or give an https or ssh url',
  })
