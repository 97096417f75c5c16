import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { startHttpServer, type TestServer } from '../helpers/servers.ts'
import { useReview } from './review-fixture.ts'

const review = useReview()
const servers: TestServer[] = []
afterEach(async () => void (await Promise.all(servers.splice(0).map((server) => server.close()))))

/** Bodies that were posted. */
const posted: { model: string; messages: { content: string }[] }[] = []

interface Behaviour {
  readonly models?: unknown
  readonly chat?: RequestListener
}

const answer =
  (text: string): RequestListener =>
  (_request, response) => {
    response.end(JSON.stringify({ choices: [{ message: { content: text }, finish_reason: 'stop' }] }))
  }

/** An OpenAI-compatible server, which the user chose for Ollama. */
const serve = async ({ models = { data: [{ id: 'first-model' }] }, chat = answer('Fine.') }: Behaviour) => {
  posted.length = 0
  const server = await startHttpServer((request, response) => {
    if (request.url === '/v1/models') return void response.end(JSON.stringify(models))
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      posted.push(JSON.parse(Buffer.concat(chunks).toString()) as (typeof posted)[number])
      chat(request, response)
    })
  })
  servers.push(server)
  chooseHost(server.url)
  return server
}

const chooseHost = (url: string): void =>
  void review.machine.put(
    'home/.gsd/config.json',
    JSON.stringify({ schema: 1, defaults: { 'review.ollama_host': url } }),
    0o600,
  )

describe('a lane over the network', () => {
  it('posts the prompt with the first model of the server, and its answer is a section', async () => {
    await serve({ chat: answer('See src/login.ts:3.') })
    expect((await review.run(['--ollama'])).status).toBe(0)
    expect(review.reviews()).toContain('## Ollama Review\n\nSee src/login.ts:3.\n')
    expect(posted).toHaveLength(1)
    expect(posted[0]?.model).toBe('first-model')
    expect(posted[0]?.messages[0]?.content).toContain('Add a login page')
  })

  it('uses the fallback model where the list of models is empty', async () => {
    await serve({ models: { data: [] } })
    expect((await review.run(['--ollama'])).status).toBe(0)
    expect(posted[0]?.model).toBe('llama3')
  })

  it('fails with status and body when the server refuses', async () => {
    await serve({
      chat: (_request, response) => void response.writeHead(404).end('{"error":{"message":"no such model"}}'),
    })
    expect((await review.run(['--ollama'])).status).toBe(5)
    expect(review.reviews()).toContain('the server answered with status 404')
    expect(review.reviews()).toContain('no such model')
  })

  it('fails when the answer breaks off', async () => {
    await serve({
      chat: (_request, response) => {
        response.writeHead(200, { 'content-length': 1000 })
        response.write('{"choices":', () => response.destroy())
      },
    })
    expect((await review.run(['--ollama'])).status).toBe(5)
    expect(review.reviews()).toContain('the connection failed')
  })

  it('fails when the server answers with no text, and says why the model stopped', async () => {
    await serve({
      chat: (_request, response) => void response.end('{"choices":[{"message":{},"finish_reason":"length"}]}'),
    })
    expect((await review.run(['--ollama'])).status).toBe(5)
    expect(review.reviews()).toContain('the model stopped: length')
  })

  it('follows no redirect to another host', async () => {
    const other = await startHttpServer(answer('From elsewhere.'))
    servers.push(other)
    await serve({ chat: (_request, response) => void response.writeHead(307, { location: other.url }).end() })
    expect((await review.run(['--ollama'])).status).toBe(5)
    expect(other.requests).toHaveLength(0)
  })

  it('ends after its time when the server never answers', async () => {
    await serve({ chat: () => {} })
    expect((await review.run(['--ollama', '--timeout', '1'])).status).toBe(5)
    expect(review.reviews()).toContain('the server did not answer within')
  })

  it('does not go to a host that the project names, and names both', async () => {
    const own = await serve({})
    const projects = await startHttpServer(answer('Stolen.'))
    servers.push(projects)
    review.config({ review: { ollama_host: projects.url } })
    expect((await review.run(['--ollama'])).status).toBe(5)
    expect(projects.requests).toHaveLength(0)
    expect(review.reviews()).toContain(`the project sends plans to "${projects.url}", but you chose "${own.url}"`)
  })

  it('is not asked at all with --offline', async () => {
    const server = await serve({})
    expect((await review.run(['--ollama', '--offline'])).status).toBe(5)
    expect(server.requests).toHaveLength(0)
  })
})
