import type { Findings } from '../findings.ts'
import { ENV_NAME, HEADER_NAME, HTTP_URL, ID, IDENTIFIER, MCP_COMMAND, MCP_CWD, MODULE_PATH, STEM } from '../grammar.ts'
import { conditional, having, once } from '../json-schema.ts'
import { choice, described, nameText, text } from '../leaf-shapes.ts'
import { list, map, memberCheck, memberSchema, object, optional, required, type Members } from '../object-shapes.ts'
import { RESERVED_FAMILIES } from '../rules/programs.ts'
import { isObject, type Shape } from '../shape.ts'
import { membersOf, type Kinds } from '../variant-shapes.ts'

/** Rule 24. */
export const COMMANDS = list(
  'MANIFEST_COMMANDS',
  object('MANIFEST_COMMAND', {
    family: required(nameText('MANIFEST_COMMAND_FAMILY', { pattern: ID, also: { not: { enum: RESERVED_FAMILIES } } })),
    module: required(text('MANIFEST_COMMAND_MODULE', { pattern: MODULE_PATH })),
    router: required(nameText('MANIFEST_COMMAND_ROUTER', { pattern: IDENTIFIER })),
    subcommands: optional(
      list('MANIFEST_COMMAND_SUBCOMMANDS', nameText('MANIFEST_COMMAND_SUBCOMMAND', { pattern: /^\S+$/ })),
    ),
  }),
)

/** `${NAME}` in a URL is filled in by the host. */
const isUrl = (value: string): boolean => URL.canParse(value.replaceAll(/\$\{[^{}]*\}/g, 'x'))

const SERVER_KINDS = {
  'a command': {
    command: required(text('MANIFEST_MCP_COMMAND', { pattern: MCP_COMMAND })),
    args: optional(list('MANIFEST_MCP_ARGS', text('MANIFEST_MCP_ARG'))),
    env: optional(
      map('MANIFEST_MCP_ENV', { code: 'MANIFEST_MCP_ENV_NAME', pattern: ENV_NAME }, text('MANIFEST_MCP_ENV_VALUE')),
    ),
    cwd: optional(text('MANIFEST_MCP_CWD', { pattern: MCP_CWD })),
  },
  'a url': {
    type: required(choice('MANIFEST_MCP_TYPE', ['http', 'sse'])),
    url: required(text('MANIFEST_MCP_URL', { pattern: HTTP_URL, test: isUrl })),
    headers: optional(
      map(
        'MANIFEST_MCP_HEADERS',
        { code: 'MANIFEST_MCP_HEADER_NAME', pattern: HEADER_NAME },
        text('MANIFEST_MCP_HEADER_VALUE'),
      ),
    ),
  },
} as const satisfies Kinds

const local = membersOf(SERVER_KINDS, 'a command', 'MANIFEST_MCP_FOREIGN_FIELD')
const remote = membersOf(SERVER_KINDS, 'a url', 'MANIFEST_MCP_FOREIGN_FIELD')
const checkLocal = memberCheck(local, 'warn')
const checkRemote = memberCheck(remote, 'warn')

/** What tells the two forms apart is which members there are. */
const server: Shape = {
  code: 'MANIFEST_MCP_SERVER',
  check: (value: unknown, findings: Findings) => {
    if (!isObject(value)) findings.wrong('MANIFEST_MCP_SERVER', value)
    else if (Object.hasOwn(value, 'command')) checkLocal(value, findings)
    else if (Object.hasOwn(value, 'url') || Object.hasOwn(value, 'type')) checkRemote(value, findings)
    else findings.wrong('MANIFEST_MCP_SERVER', value)
  },
  schema: once(() => ({
    ...described('MANIFEST_MCP_SERVER'),
    type: 'object',
    ...conditional(having('command'), memberSchema(local, 'warn'), memberSchema(remote, 'warn')),
  })),
}

/** Rules 24 and 25, apart from what spans several members. */
export const PROGRAM_MEMBERS = {
  commands: optional(COMMANDS),
  mcpServers: optional(map('MANIFEST_MCP_SERVERS', { code: 'MANIFEST_MCP_NAME', pattern: STEM }, server)),
} as const satisfies Members
