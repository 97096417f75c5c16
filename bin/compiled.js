'use strict'
// Reads the program's files with the compiled form that the build has left beside each (`x.cjs`, `x.code`), which takes a
// quarter of the time. Another Node refuses such a form and compiles the text itself, as it does where there is none.
const { closeSync, fstatSync, openSync, readSync } = require('node:fs')
const { dirname } = require('node:path')
const { Script } = require('node:vm')

/** What the build makes; it is no source, and so not for the type checker. */
const PROGRAM = `${__dirname}/../dist/cli.cjs`

/** Runs the program. */
exports.run = () => require(PROGRAM)

/** What was read, for the build, which asks each script for its compiled form. @type {Map<string, Script>} */
exports.scripts = new Map()

/** Bytes of the sign that a text and its compiled form begin with: `//`, then a part of the text's hash. */
exports.SIGN = 32

// What a text stands between to be a module: the build leaves nothing but ASCII in it.
const HEAD = '(function (exports, require, module, __filename, __dirname) {'
const TAIL = '\n})'

/** @param {NodeModule} module @param {string} file */
const load = (module, file) => {
  const text = read(file, HEAD, TAIL).toString('latin1')
  const script = new Script(text, { filename: file, cachedData: compiledForm(file, text) })
  exports.scripts.set(file, script)
  /** @param {string} id */
  const need = (id) => module.require(id)
  script.runInThisContext().call(module.exports, module.exports, need, module, file, dirname(file))
}

/** The form of exactly this text, if it is there. @param {string} file @param {string} text */
const compiledForm = (file, text) => {
  try {
    const form = read(file.replace(/\.cjs$/, '.code'))
    const sign = form.toString('latin1', 0, exports.SIGN)
    return text.startsWith(sign, HEAD.length) ? form.subarray(exports.SIGN) : undefined
  } catch {
    return undefined
  }
}

// One for all, since memory that is touched for the first time is what a start takes longest for.
let shared = Buffer.allocUnsafeSlow(512 * 1024)

/** A file's bytes between two texts; good until the next call. @param {string} file */
const read = (file, head = '', tail = '') => {
  const fd = openSync(file, 'r')
  try {
    const size = head.length + fstatSync(fd).size + tail.length
    if (size > shared.length) shared = Buffer.allocUnsafeSlow(size)
    shared.write(head, 'latin1')
    for (let at = head.length, got = -1; got !== 0; at += got)
      got = readSync(fd, shared, at, size - tail.length - at, null)
    shared.write(tail, size - tail.length, 'latin1')
    return shared.subarray(0, size)
  } finally {
    closeSync(fd)
  }
}

require.extensions['.cjs'] = load
