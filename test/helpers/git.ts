import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'

/** A repository that a test fills; the real user's git configuration is not used. */
export interface Repository {
  readonly dir: string
  /** `file://` url of it. */
  readonly url: string
  git(...args: readonly string[]): string
  /** Writes files (`#!` at the start: executable, `-> x`: a link) and commits all; returns the commit's id. */
  commit(files: Readonly<Record<string, string | Buffer | null>>, message?: string): string
  /** A tag; annotated if it has a message. */
  tag(name: string, message?: string): void
}

const ENV = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
}

export const runGit = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', args, { cwd, env: ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** Makes a repository with the branch `main` in a folder of this name. */
export const makeRepository = (dir: string): Repository => {
  mkdirSync(dir, { recursive: true })
  runGit(dir, 'init', '-q', '-b', 'main')
  runGit(dir, 'config', 'uploadpack.allowFilter', 'true')
  const git = (...args: readonly string[]): string => runGit(dir, ...args)
  return {
    dir,
    url: `git+file://${dir}`,
    git,
    commit(files, message = 'change') {
      for (const [path, content] of Object.entries(files)) write(join(dir, path), content)
      git('add', '-A', '-f')
      git('commit', '-q', '--allow-empty', '-m', message)
      return git('rev-parse', 'HEAD')
    },
    tag: (name, message) => void (message === undefined ? git('tag', name) : git('tag', '-a', '-m', message, name)),
  }
}

const write = (path: string, content: string | Buffer | null): void => {
  rmSync(path, { recursive: true, force: true })
  if (content === null) return
  mkdirSync(dirname(path), { recursive: true })
  const text = content.toString()
  if (text.startsWith('-> ')) return symlinkSync(text.slice(3), path)
  writeFileSync(path, content)
  if (text.startsWith('#!')) chmodSync(path, 0o755)
}

export interface BackendOptions {
  /** `user:password`; without it everybody may read. */
  readonly auth?: string
  /** Another header that grants access. */
  readonly header?: { readonly name: string; readonly value: string }
  /** Speaks protocol version 0 only, which serves no commit by its id. */
  readonly old?: boolean
  /** Settings of the server's own git, as `-c`. */
  readonly config?: Readonly<Record<string, string>>
}

/** Serves the repositories below a folder as git hosts do, with `git http-backend`. */
export const gitBackend = (root: string, options: BackendOptions = {}): RequestListener => {
  const wanted = options.auth === undefined ? null : `Basic ${Buffer.from(options.auth).toString('base64')}`
  return (request, response) => {
    const open = wanted === null && options.header === undefined
    const named = options.header !== undefined && request.headers[options.header.name] === options.header.value
    if (!open && !named && (wanted === null || request.headers.authorization !== wanted)) {
      request.resume()
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="private"' }).end('Sign in first')
    }
    return runBackend(root, request, response, options)
  }
}

const runBackend = (
  root: string,
  request: IncomingMessage,
  response: ServerResponse,
  options: BackendOptions,
): void => {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const config = Object.entries({ 'http.receivepack': 'false', 'safe.directory': '*', ...options.config })
  const child = spawn('git', ['http-backend'], {
    env: {
      ...ENV,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method ?? 'GET',
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      ...(options.old === true ? {} : { GIT_PROTOCOL: String(request.headers['git-protocol'] ?? '') }),
      GIT_CONFIG_COUNT: String(config.length),
      ...Object.fromEntries(
        config.flatMap(([key, value], n) => [
          [`GIT_CONFIG_KEY_${n}`, key],
          [`GIT_CONFIG_VALUE_${n}`, value],
        ]),
      ),
    },
  })
  request.pipe(child.stdin).on('error', () => {})
  let head = Buffer.alloc(0)
  let headed = false
  child.stdout.on('data', (chunk: Buffer) => {
    if (headed) return void response.write(chunk)
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end === -1) return
    headed = true
    for (const line of head.toString('latin1', 0, end).split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/)
      if (name === 'Status') response.statusCode = Number(value.split(' ')[0])
      else response.setHeader(name, value)
    }
    response.write(head.subarray(end + 4))
  })
  child.once('close', () => response.end())
}
