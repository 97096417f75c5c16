#!/usr/bin/env node
// Compiled code is cached below HOME, whatever other variables say: whoever can write to that cache decides what runs.
const { readFileSync, write } = require('node:fs')
const caches = process.platform === 'darwin' ? 'Library/Caches' : '.cache'
const flag = /^(--version|--help|-h)$/.exec(process.argv.slice(2).join(' '))?.[1].replace(/^-+/, '')
// With 000 anybody could write to what is created, and 777 would lock its owner out.
process.umask((process.umask() & 0o077) | 0o022)
if (flag) write(1, readFileSync(`${__dirname}/../dist/answers/${flag}.txt`), () => {})
else if (process.env.HOME?.startsWith('/'))
  require('node:module').enableCompileCache?.(`${process.env.HOME}/${caches}/gsd-capability/compiled`)
if (!flag) require('../dist/cli.cjs')
