import type { Findings } from '../findings.ts'
import { ENV_NAME, HEADER_NAME, HTTP_URL, ID, IDENTIFIER, MCP_COMMAND, MCP_CWD, MODULE_PATH, STEM } from '../grammar.ts'
import { RESERVED_FAMILIES } from '../rules/programs.ts'
import { conditional, withMember, memoize } from '../shapes/json-schema.ts'
import { choice, describeRule, nameText, text } from '../shapes/leaf-shapes.ts'
import {
  list,
  map,
  createMemberCheck,
  memberSchema,
  object,
  optional,
  required,
  type Members,
} from '../shapes/object-shapes.ts'
import { isObject, type Shape } from '../shapes/shape.ts'
import { membersOfKind, type VariantMembers } from '../shapes/variant-shapes.ts'

/** Rule 24. */
export const COMMANDS = list(
  'MANIFEST_COMMANDS',
  object('MANIFEST_COMMAND', {
    family: required(
      nameText('MANIFEST_COMMAND_FAMILY', { pattern: ID, extraSchema: { not: { enum: RESERVED_FAMILIES } } }),
    ),
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
} as const satisfies VariantMembers

const local = membersOfKind(SERVER_KINDS, 'a command', 'MANIFEST_MCP_FOREIGN_FIELD')
const remote = membersOfKind(SERVER_KINDS, 'a url', 'MANIFEST_MCP_FOREIGN_FIELD')
const checkLocal = createMemberCheck(local, 'warn')
const checkRemote = createMemberCheck(remote, 'warn')

/** What tells the two forms apart is which members there are. */
const server: Shape = {
  code: 'MANIFEST_MCP_SERVER',
  check: (value: unknown, findings: Findings) => {
    if (!isObject(value)) findings.reportValue('MANIFEST_MCP_SERVER', value)
    else if (Object.hasOwn(value, 'command')) checkLocal(value, findings)
    else if (Object.hasOwn(value, 'url') || Object.hasOwn(value, 'type')) checkRemote(value, findings)
    else findings.reportValue('MANIFEST_MCP_SERVER', value)
  },
  schema: memoize(() => ({
    ...describeRule('MANIFEST_MCP_SERVER'),
    type: 'object',
    ...conditional(withMember('command'), memberSchema(local, 'warn'), memberSchema(remote, 'warn')),
  })),
}

/** Rules 24 and 25, apart from what spans several members. */
export const PROGRAM_MEMBERS = {
  commands: optional(COMMANDS),
  mcpServers: optional(map('MANIFEST_MCP_SERVERS', { code: 'MANIFEST_MCP_NAME', pattern: STEM }, server)),
} as const satisfies Members
