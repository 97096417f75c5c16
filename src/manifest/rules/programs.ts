import type { RuleTable } from './rule.ts'

/** Words that a command family cannot be: nouns and aliases of the program, also of later versions. */
export const RESERVED_FAMILIES = [
  'capability',
  'cap',
  'loop',
  'runtime',
  'skills',
  'mcp',
  'config',
  'review',
  'check',
  'help',
  'completion',
  'doctor',
  'registry',
  'catalog',
  'plugin',
  'gsd',
] as const

/** Rules 24 and 25. */
export const PROGRAM_RULES = {
  MANIFEST_COMMANDS: { rule: 24, requirement: 'an array of command families', example: '[]' },
  MANIFEST_COMMAND: {
    rule: 24,
    requirement: 'an object with family, module and router',
    example: '{ "family": "my-family", "module": "commands/my-family.cjs", "router": "routeMyFamily" }',
  },
  MANIFEST_COMMAND_FAMILY: {
    rule: 24,
    requirement: 'lower-case letters and digits in words joined by single hyphens, starting with a letter',
    example: '"my-family"',
  },
  MANIFEST_COMMAND_FAMILY_RESERVED: {
    rule: 24,
    requirement: 'not a word of the program itself',
    message: ({ found }) =>
      `the command family ${found} is a word of the program itself (${RESERVED_FAMILIES.join(', ')})`,
    hint: 'choose another word',
  },
  MANIFEST_COMMAND_FAMILY_DUPLICATE: {
    rule: 24,
    requirement: 'declared once',
    message: ({ subject, found }) => `${subject} declares the command family ${found} again`,
    hint: 'keep one of the two',
  },
  MANIFEST_COMMAND_MODULE: {
    rule: 24,
    requirement:
      'a relative path inside the bundle that ends in .cjs, .mjs or .js, made of letters, digits and . _ / -, without ".."',
    example: '"commands/my-family.cjs"',
  },
  MANIFEST_COMMAND_ROUTER: {
    rule: 24,
    requirement: 'the name of the function that the module exports: letters, digits, _ and $',
    example: '"routeMyFamily"',
  },
  MANIFEST_COMMAND_SUBCOMMANDS: { rule: 24, requirement: 'an array of subcommands', example: '["run"]' },
  MANIFEST_COMMAND_SUBCOMMAND: { rule: 24, requirement: 'one word without white space', example: '"run"' },
  MANIFEST_COMMAND_FILE: {
    rule: 24,
    requirement: 'a file of the bundle',
    message: ({ subject, found }) => `${subject} names ${found}, which is not a file of the bundle`,
    hint: ({ found }) => `add the file ${found}, or correct the path`,
  },
  MANIFEST_MCP_SERVERS: {
    rule: 25,
    requirement: 'an object from server names to servers',
    example: '{ "my-server": { "command": "npx", "args": ["my-server"] } }',
  },
  MANIFEST_MCP_NAME: {
    rule: 25,
    requirement: 'names of lower-case letters, digits, _ and -, starting with a letter or digit',
    message: ({ found }) => `mcpServers has the name ${found}; names are lower-case letters, digits, _ and -`,
    hint: 'write a name such as "my-server"',
  },
  MANIFEST_MCP_SERVER: {
    rule: 25,
    requirement: 'an object with either a command, or a type and a url',
    example: '{ "command": "npx", "args": ["my-server"] }',
    hint: 'write { "command": "npx", "args": ["my-server"] } or { "type": "http", "url": "https://example.org/mcp" }',
  },
  MANIFEST_MCP_COMMAND: {
    rule: 25,
    requirement: 'the bare name of a program, or a relative path inside the bundle',
    example: '"npx"',
  },
  MANIFEST_MCP_ARGS: { rule: 25, requirement: 'an array of strings', example: '[]' },
  MANIFEST_MCP_ARG: { rule: 25, requirement: 'a string', example: '"--stdio"' },
  MANIFEST_MCP_ENV: {
    rule: 25,
    requirement: 'an object from names of environment variables to strings',
    example: '{ "LOG_LEVEL": "info" }',
  },
  MANIFEST_MCP_ENV_NAME: {
    rule: 25,
    requirement: 'names of letters, digits and _, not starting with a digit',
    message: ({ parent, found }) => `${parent} has the name ${found}, which no environment variable can have`,
    hint: 'write a name such as "LOG_LEVEL"',
  },
  MANIFEST_MCP_ENV_VALUE: { rule: 25, requirement: 'a string', example: '"info"' },
  MANIFEST_MCP_CWD: { rule: 25, requirement: 'a relative path inside the bundle, or "."', example: '"."' },
  MANIFEST_MCP_TYPE: { rule: 25, requirement: '"http" or "sse"', example: '"http"' },
  MANIFEST_MCP_URL: {
    rule: 25,
    requirement: 'a complete URL that starts with https:// or http://',
    example: '"https://example.org/mcp"',
  },
  MANIFEST_MCP_HEADERS: {
    rule: 25,
    requirement: 'an object from header names to strings',
    example: '{ "Authorization": "Bearer ${MY_TOKEN}" }',
  },
  MANIFEST_MCP_HEADER_NAME: {
    rule: 25,
    requirement: 'names that an HTTP header can have',
    message: ({ parent, found }) => `${parent} has the name ${found}, which no HTTP header can have`,
    hint: 'write a name such as "Authorization"',
  },
  MANIFEST_MCP_HEADER_VALUE: { rule: 25, requirement: 'a string', example: '"Bearer ${MY_TOKEN}"' },
  MANIFEST_MCP_FOREIGN_FIELD: {
    rule: 25,
    requirement: 'absent on the other form of server',
    message: ({ subject, detail }) => `${subject} is not allowed with ${detail}`,
    hint: 'a server has command, args, env and cwd, or else type, url and headers: remove the others',
  },
  MANIFEST_MCP_SECRET: {
    rule: 25,
    isWarning: true,
    requirement: 'without secrets in plain text',
    message: ({ subject }) =>
      `${subject} looks like a secret in plain text, which everyone with this capability can read`,
    hint: 'refer to an environment variable of the user, such as "${MY_TOKEN}"',
  },
  MANIFEST_SECRET: {
    rule: 25,
    isWarning: true,
    requirement: 'without passwords and keys in plain text in links, gate commands and lanes',
    message: ({ subject }) =>
      `${subject} contains a password or key in plain text, which everyone with this capability can read`,
    hint: 'remove it, and revoke it if others have seen it',
  },
  MANIFEST_MCP_FILE: {
    rule: 25,
    requirement: 'a file of the bundle',
    message: ({ subject, found }) => `${subject} names ${found}, which is not a file of the bundle`,
    hint: ({ found }) => `add the file ${found}, or name a program by its bare name`,
  },
} as const satisfies RuleTable
