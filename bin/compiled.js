'use strict'
// Reads the program's files with the compiled form that the build has left beside each (`x.cjs`, `x.code`), which takes a
// quarter of the time. Another Node refuses such a form and compiles the text itself, as it does where there is none.
const { readFileSync } = require('node:fs')
const { dirname } = require('node:path')
const { Script } = require('node:vm')

/** Runs the program. */
exports.run = () => require('../dist/cli.cjs')

/** What was read, for the build, which asks each script for its compiled form. @type {Map<string, Script>} */
exports.scripts = new Map()

/** Bytes of the sign that a text and its compiled form begin with: `//`, then a part of the text's hash. */
exports.SIGN = 32

/** @param {string} file */
exports.textOf = (file) => readFileSync(file, 'utf8')

/** @param {NodeModule} module @param {string} file */
const load = (module, file) => {
  const text = exports.textOf(file)
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${text}\n})`, {
    filename: file,
    cachedData: compiledForm(file, text),
  })
  exports.scripts.set(file, script)
  /** @param {string} id */
  const need = (id) => module.require(id)
  script.runInThisContext().call(module.exports, module.exports, need, module, file, dirname(file))
}

/** The form of exactly this text, if it is there. @param {string} file @param {string} text */
const compiledForm = (file, text) => {
  try {
    const form = readFileSync(file.replace(/\.cjs$/, '.code'))
    const sign = form.toString('latin1', 0, exports.SIGN)
    return text.startsWith(sign) ? form.subarray(exports.SIGN) : undefined
  } catch {
    return undefined
  }
}

require.extensions['.cjs'] = load
