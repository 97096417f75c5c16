import { lazy } from '../../lazy.ts'
import type { Findings } from '../findings.ts'
import { ENV_NAME, HEADER_NAME, HTTP_URL, ID, IDENTIFIER, MCP_COMMAND, MCP_CWD, MODULE_PATH, STEM } from '../grammar.ts'
import { isObject } from '../json/object.ts'
import { RESERVED_FAMILIES } from '../rules/programs.ts'
import { conditional, withMember } from '../shapes/json-schema.ts'
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
import { type Shape } from '../shapes/shape.ts'
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

/** The host replaces `${NAME}` in a URL. */
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

/** The members of a server decide which of the two forms it has. */
const server: Shape = {
  code: 'MANIFEST_MCP_SERVER',
  check: (value: unknown, findings: Findings) => {
    if (!isObject(value)) findings.reportValue('MANIFEST_MCP_SERVER', value)
    else if (Object.hasOwn(value, 'command')) checkLocal(value, findings)
    else if (Object.hasOwn(value, 'url') || Object.hasOwn(value, 'type')) checkRemote(value, findings)
    else findings.reportValue('MANIFEST_MCP_SERVER', value)
  },
  schema: lazy(() => ({
    ...describeRule('MANIFEST_MCP_SERVER'),
    type: 'object',
    ...conditional(withMember('command'), memberSchema(local, 'warn'), memberSchema(remote, 'warn')),
  })),
}

/** Rules 24 and 25, without relations between members. */
export const PROGRAM_MEMBERS = {
  commands: optional(COMMANDS),
  mcpServers: optional(map('MANIFEST_MCP_SERVERS', { code: 'MANIFEST_MCP_NAME', pattern: STEM }, server)),
} as const satisfies Members
