import { randomBytes } from 'node:crypto'
import type { Context } from '../../context.ts'

/** `<time in base 36>-<random>`: names the staging and trash folders and every temporary of one operation. */
export const newOperation = (context: Context): string =>
  `${Math.max(0, Math.trunc(context.now())).toString(36)}-${randomBytes(6).toString('hex')}`
