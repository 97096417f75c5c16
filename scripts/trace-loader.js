/** Loader hooks of `trace-install.js`: TypeScript of `src` to JavaScript, with a call at the start of each function. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** @param {string} file @returns {import('typescript').TransformerFactory<import('typescript').SourceFile>} */
const counting = (file) => (context) => (source) => {
  const { factory } = context
  const enter = () =>
    factory.createExpressionStatement(
      factory.createCallExpression(factory.createIdentifier('__enter'), undefined, [factory.createStringLiteral(file)]),
    )
  /** @param {import('typescript').ConciseBody | undefined} body */
  const counted = (body) => {
    if (body === undefined) return body
    if (ts.isBlock(body)) return factory.updateBlock(body, [enter(), ...body.statements])
    return factory.createBlock([enter(), factory.createReturnStatement(body)], true)
  }
  /** @param {import('typescript').Node} node @returns {import('typescript').Node} */
  const visit = (node) => {
    const seen = ts.visitEachChild(node, visit, context)
    if (ts.isArrowFunction(seen)) {
      const { modifiers, typeParameters, parameters, type, equalsGreaterThanToken } = seen
      const body = /** @type {import('typescript').ConciseBody} */ (counted(seen.body))
      return factory.updateArrowFunction(
        seen,
        modifiers,
        typeParameters,
        parameters,
        type,
        equalsGreaterThanToken,
        body,
      )
    }
    if (ts.isMethodDeclaration(seen) && seen.body !== undefined) {
      const { modifiers, asteriskToken, name, questionToken, typeParameters, parameters, type } = seen
      const body = /** @type {import('typescript').Block} */ (counted(seen.body))
      return factory.updateMethodDeclaration(
        seen,
        modifiers,
        asteriskToken,
        name,
        questionToken,
        typeParameters,
        parameters,
        type,
        body,
      )
    }
    return seen
  }
  return /** @type {import('typescript').SourceFile} */ (ts.visitNode(source, visit))
}

/** @type {import('node:module').LoadHook} */
export const load = async (url, context, next) => {
  if (url.endsWith('.json')) {
    const value = JSON.parse(await readFile(fileURLToPath(url), 'utf8'))
    const named = Object.keys(value).filter((key) => /^[a-z]\w*$/i.test(key))
    const source = `const value = ${JSON.stringify(value)}\nexport default value\n${named.map((key) => `const _${key} = value[${JSON.stringify(key)}]\nexport { _${key} as ${key} }`).join('\n')}`
    return { format: 'module', source, shortCircuit: true }
  }
  if (!url.endsWith('.ts')) return next(url, context)
  const file = fileURLToPath(url)
  const { outputText } = ts.transpileModule(await readFile(file, 'utf8'), {
    fileName: file,
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true },
    transformers: { before: [counting(file)] },
  })
  return { format: 'module', source: outputText, shortCircuit: true }
}
