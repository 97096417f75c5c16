import { isObject } from '../manifest/json/object.ts'

/** The review in an answer, or why there is none. */
export interface AnswerText {
  readonly text: string
  /** Why the text is empty, where the answer says so. */
  readonly reason: string | null
}

/** The text parts of the JSON lines that `opencode run --format json` prints. */
export const readOpencodeLines = (output: string): AnswerText => {
  const texts: string[] = []
  let stop: string | null = null
  for (const line of output.split('\n')) {
    const event = parseObject(line)
    if (event === null) continue
    const part = isObject(event['part']) ? event['part'] : {}
    if (event['type'] === 'text' && typeof part['text'] === 'string') texts.push(part['text'])
    if (typeof part['reason'] === 'string') stop = part['reason']
    if (event['type'] === 'error') stop = errorName(event['error'])
  }
  const text = texts.join('\n')
  return { text, reason: text.trim() === '' && stop !== null ? `opencode stopped: ${stop}` : null }
}

/** The answer of an OpenAI-compatible server: a text, or a list of parts with texts. */
export const readChatAnswer = (body: string): AnswerText => {
  const answer = parseObject(body)
  if (answer === null) return { text: '', reason: 'the server did not answer with a JSON object' }
  const [choice] = Array.isArray(answer['choices']) ? (answer['choices'] as unknown[]) : []
  const message = isObject(choice) && isObject(choice['message']) ? choice['message'] : {}
  const content = message['content']
  const text = Array.isArray(content)
    ? content.map((part: unknown) => (isObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
    : typeof content === 'string'
      ? content
      : ''
  const stop = isObject(choice) && typeof choice['finish_reason'] === 'string' ? choice['finish_reason'] : null
  const reason = text.trim() !== '' ? null : stop === null ? 'the answer has no text' : `the model stopped: ${stop}`
  return { text, reason }
}

/** The first model of a list of models; null where it is empty or not a list. */
export const firstModel = (body: string): string | null => {
  const data = parseObject(body)?.['data']
  const [first] = Array.isArray(data) ? (data as unknown[]) : []
  return isObject(first) && typeof first['id'] === 'string' && first['id'] !== '' ? first['id'] : null
}

const errorName = (error: unknown): string =>
  isObject(error) && typeof error['name'] === 'string' ? error['name'] : 'error'

/** A JSON object, or null for any other text. */
export const parseObject = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
