import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REAL_INDEX, skillsRoot } from '../skills/skills-root.ts'
import { exchange, HELLO, request, start } from './client.ts'

const ROOTS = [dirname(REAL_INDEX)]
const call = (id: unknown, args: unknown = { query: 'code review' }): string =>
  request(id, 'tools/call', { name: 'search_skills', arguments: args })
const talk = async (lines: readonly string[]) => {
  const { outside } = skillsRoot()
  const { answers, status, errors } = await exchange([...HELLO, ...lines], ROOTS, outside)
  return { answers: answers.filter(({ id }) => id !== 'hello'), status, errors }
}

describe('a client that closes its end after its questions', () => {
  it('gets two hundred answers to two hundred calls, and the server ends', async () => {
    const { answers, status, errors } = await talk(Array.from({ length: 200 }, (_, at) => call(at)))
    expect(answers.map(({ id }) => id).toSorted((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 200 }, (_, at) => at),
    )
    expect(answers.every(({ result }) => result?.['isError'] === undefined)).toBe(true)
    expect({ status, errors }).toEqual({ status: 0, errors: '' })
  })

  it('gets an answer to a last line without a line break', async () => {
    const { outside } = skillsRoot()
    const child = start(ROOTS, outside)
    const out: Buffer[] = []
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
    child.stdin?.end(`${HELLO.join('\n')}\n${call(1)}`)
    await new Promise((resolve) => child.once('close', resolve))
    expect(Buffer.concat(out).toString('utf8')).toContain('"id":1')
  })
})

describe('a message that is none', () => {
  it.each([
    ['no JSON', 'nonsense', -32700],
    ['a text', '"x"', -32600],
    ['null', 'null', -32600],
    ['a batch', `[${call(1)},${call(2)}]`, -32600],
    ['an empty batch', '[]', -32600],
    ['without a version', '{"id":1,"method":"ping"}', -32600],
    ['with an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['with params that are a text', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"x"}', -32600],
    ['longer than a mebibyte', `{"jsonrpc":"2.0","id":1,"x":"${'x'.repeat(1024 * 1024)}"}`, -32600],
    [
      'nested a hundred thousand deep',
      `{"jsonrpc":"2.0","id":1,"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      -32600,
    ],
    ['of an unknown method', request(1, 'nothing/at/all'), -32601],
    ['that calls an unknown tool', request(1, 'tools/call', { name: '__proto__', arguments: {} }), -32602],
  ])('%s is answered with an error, and the next one is served', async (_, line, code) => {
    const { answers, status, errors } = await talk([line, call('next')])
    expect(answers.map(({ error }) => error?.code)).toContain(code)
    expect(answers.find(({ id }) => id === 'next')?.result).toBeDefined()
    expect({ status, errors }).toEqual({ status: 0, errors: '' })
  })

  it.each([
    ['of 256 KiB', call(1, { query: 'x', junk: 'x'.repeat(256 * 1024) })],
    ['nested a hundred deep', call(1, { query: JSON.parse(`${'['.repeat(100)}${']'.repeat(100)}`) as unknown })],
    ['with a blank line before it', `\n\n${call(1)}`],
    ['with a carriage return', `${call(1)}\r`],
  ])('a line %s is answered', async (_, line) => {
    const { answers } = await talk([line, call('next')])
    expect(answers.map(({ id }) => id)).toEqual([1, 'next'])
  })

  it('two calls with one id get two answers', async () => {
    const { answers } = await talk([call(7), call(7)])
    expect(answers.map(({ id }) => id)).toEqual([7, 7])
  })

  it('a call that is cancelled at once blocks nothing', async () => {
    const cancel = (requestId: number): string =>
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
    const lines = Array.from({ length: 50 }, (_, at) => [call(at), cancel(at)]).flat()
    const { answers, status } = await talk([...lines, call('next')])
    expect(answers.some(({ id }) => id === 'next')).toBe(true)
    expect(status).toBe(0)
  })
})

describe('the version of the protocol', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '1999-01-01'])(
    '%s is negotiated',
    async (version) => {
      const { outside } = skillsRoot()
      const hello = request(1, 'initialize', {
        protocolVersion: version,
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      })
      const { answers } = await exchange([hello], ROOTS, outside)
      const given = String(answers[0]?.result?.['protocolVersion'])
      expect(given).toMatch(/^20\d\d-\d\d-\d\d$/)
      if (version.startsWith('20')) expect(given).toBe(version)
    },
  )
})

it('a client of the newest protocol, which does not initialize, is served', async () => {
  const { outside } = skillsRoot()
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const lines = [
    request(1, 'server/discover', { _meta: meta }),
    request(2, 'tools/call', { name: 'search_skills', arguments: { query: 'code' }, _meta: meta }),
  ]
  const { answers } = await exchange(lines, ROOTS, outside)
  expect(answers.find(({ id }) => id === 1)?.result).toMatchObject({ supportedVersions: ['2026-07-28'] })
  expect(answers.find(({ id }) => id === 2)?.result?.['structuredContent']).toBeDefined()
})

describe('a client that does not read', () => {
  /** Sends calls until the pipe is full; what the program holds of them stays bounded. */
  it.skipIf(process.platform !== 'linux')(
    'is waited for with bounded memory, and gets all answers when it reads again',
    async () => {
      const { outside } = skillsRoot()
      const child = start(ROOTS, outside)
      child.stdin?.on('error', () => undefined)
      const calls = 600
      child.stdin?.write(`${HELLO.join('\n')}\n`)
      for (let at = 0; at < calls; at++) child.stdin?.write(`${call(at, { limit: 200 })}\n`)
      let ids = 0
      let rest = ''
      await new Promise((resolve) => setTimeout(resolve, 1500))
      const { readFileSync } = await import('node:fs')
      const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
      expect(Number(peak)).toBeLessThan(200 * 1024)
      await new Promise<void>((resolve) => {
        child.stdout?.on('data', (chunk: Buffer) => {
          const lines = (rest + chunk.toString('utf8')).split('\n')
          rest = lines.pop() ?? ''
          ids += lines.filter((line) => line.includes('"structuredContent"')).length
          if (ids === calls) resolve()
        })
      })
      expect(ids).toBe(calls)
    },
  )

  it('and goes away ends the server', async () => {
    const { outside } = skillsRoot()
    const child = start(ROOTS, outside)
    child.stdin?.on('error', () => undefined)
    child.stdout?.destroy()
    child.stdin?.write(
      `${[...HELLO, ...Array.from({ length: 200 }, (_, at) => call(at, { limit: 200 }))].join('\n')}\n`,
    )
    const status = await new Promise((resolve) => child.once('exit', resolve))
    expect(status).toBe(0)
  })

  it('and closes both ends without a word ends the server', async () => {
    const { outside } = skillsRoot()
    const child = start(ROOTS, outside)
    child.stdin?.end()
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
  })
})

it('a signal ends the server', async () => {
  const { outside } = skillsRoot()
  const child = start(ROOTS, outside)
  child.stdin?.write(`${HELLO.join('\n')}\n`)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  child.kill('SIGTERM')
  await new Promise((resolve) => child.once('exit', resolve))
  expect(child.exitCode !== null || child.signalCode !== null).toBe(true)
})

it('a root that does not exist is an error of the call, naming no path', async () => {
  const { outside } = skillsRoot()
  const { answers, status } = await exchange([...HELLO, call(1)], [`${outside}/none`], outside)
  const said = JSON.stringify(answers.find(({ id }) => id === 1)?.result)
  expect(said).toContain('STATE_NO_SKILLS_INDEX')
  expect(said).not.toContain(outside)
  expect(status).toBe(0)
})
