import type { Code } from '../codes.ts'
import { GsdError } from '../errors.ts'
import { ProcessError, type ProcessOptions, type ProcessResult, runProgram } from '../platform/process.ts'
import { quote } from '../redact.ts'

/** A program that fetches, and the errors for what keeps it from its end. */
export interface Tool {
  readonly file: 'git' | 'npm'
  /** What is fetched, as it stands in messages. */
  readonly source: string
  readonly missing: { readonly code: Code; readonly hint: string }
  readonly timeoutHint: string
  readonly tooLarge: (cause: unknown) => GsdError
}

/** Runs git or npm. @throws GsdError `missing.code`, FETCH_TIMEOUT, what `tooLarge` makes, INTERRUPTED */
export const runTool = async (tool: Tool, options: Omit<ProcessOptions, 'file'>): Promise<ProcessResult> => {
  const { file } = tool
  try {
    return await runProgram({ ...options, file })
  } catch (error) {
    if (!(error instanceof ProcessError)) throw error
    const source = quote(tool.source)
    const timeout = (what: string): GsdError =>
      new GsdError('FETCH_TIMEOUT', `${source}: ${file} ${what} ${error.limit / 1000} s`, {
        hint: tool.timeoutHint,
        cause: error,
      })
    switch (error.reason) {
      case 'not-found': {
        const { code, hint } = tool.missing
        throw new GsdError(code, `${source} needs ${file}, and there is no ${file} on the PATH`, { hint, cause: error })
      }
      case 'timeout':
        throw timeout('did not finish within')
      case 'idle-timeout':
        throw timeout('printed nothing for')
      case 'output-too-large':
        throw tool.tooLarge(error)
    }
  }
}
