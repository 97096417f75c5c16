import { basename, join, resolve } from 'node:path'
import type { Source, StagedBundle } from '../bundle/bundle.ts'
import { readManifestFile } from '../bundle/manifest-file.ts'
import { stageBundle } from '../bundle/stage.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { checkBundle } from '../manifest/bundle-files.ts'
import { checkManifest } from '../manifest/check.ts'
import { judgeEngines } from '../manifest/engines.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { readManifest, type ManifestText } from '../manifest/read.ts'
import { builtInSet, setInFolder } from '../overlay/first-party.ts'
import { Witness } from '../overlay/witness.ts'
import { quote } from '../redact.ts'
import { validateCrossCapability, type CrossDiagnostic } from '../registry/cross.ts'
import { hiddenLine, type HiddenFinding } from '../trust/hidden-finding.ts'
import { warnNames } from './consent/warn-names.ts'
import { bundleFaults } from './prepare/bundle-faults.ts'
import { scanHidden } from './prepare/scan-hidden.ts'
import { withStaging } from './transaction/staging.ts'

/** What one argument of `capability validate` turned out to be. */
export interface ValidatedFile {
  /** As the user named it; of a folder or archive the manifest in it. */
  readonly file: string
  readonly id: string | null
  readonly diagnostics: readonly Diagnostic[]
}

export interface ValidateAnswer {
  readonly files: readonly ValidatedFile[]
  /** Text of each manifest, by `file`, for showing the line a finding is about. */
  readonly texts: ReadonlyMap<string, string>
}

/**
 * Holds folders, manifests and archives to every rule, without installing anything. All arguments are composed with each
 * other and the first-party set, never with what is installed here; one with a first-party id stands in for that
 * capability (contract, `capability validate`).
 */
export const validate = async (context: Context, args: readonly string[]): Promise<ValidateAnswer> => {
  const firstParty = firstPartyOf(context)
  const known = new Set(firstParty.map(({ id }) => id))
  const looked = await withStaging(context, async ({ dir }) => {
    const files: Looked[] = []
    for (const [index, arg] of args.entries()) files.push(await lookAt(context, arg, join(dir, `${index}`), known))
    return files
  })
  const others = firstParty.filter(({ id }) => !looked.some(({ manifest }) => manifest?.id === id))
  const sound = looked.filter(({ manifest }) => manifest !== null)
  const cross = validateCrossCapability(
    sound.map(({ manifest }) => manifest),
    { firstParty: others },
  )
  return {
    files: looked.map(({ file, id, text, diagnostics, manifest }) => ({
      file,
      id,
      diagnostics: [
        ...diagnostics,
        ...warnNames(others, manifest === null ? [] : [manifest]),
        ...cross
          .filter(({ index }) => sound[index]?.manifest === manifest && manifest !== null)
          .map((finding) => placed(withoutIndex(finding), file, text)),
      ],
    })),
    texts: new Map(looked.flatMap(({ file, text }) => (text === null ? [] : [[file, text.text] as const]))),
  }
}

const firstPartyOf = (context: Context): readonly Manifest[] => {
  const { firstParty, hostVersion } = context
  const witness = new Witness(context.now())
  const set = firstParty === null ? builtInSet(witness) : setInFolder(witness, firstParty, hostVersion)
  return set.overlays.flatMap((overlay) => (overlay.kind === 'usable' ? [overlay.candidate.manifest] : []))
}

interface Looked {
  readonly file: string
  readonly id: string | null
  readonly text: ManifestText | null
  readonly manifest: Manifest | null
  readonly diagnostics: readonly Diagnostic[]
}

const lookAt = async (
  context: Context,
  arg: string,
  into: string,
  firstParty: ReadonlySet<string>,
): Promise<Looked> => {
  try {
    const path = resolve(context.cwd, arg)
    const found = kindOf(context, arg, path)
    if (found === 'manifest')
      return judged(context, { ...readManifestFile(path, context.disk), file: arg }, null, null, firstParty)
    const source: Source = found === 'folder' ? { kind: 'folder', dir: path } : { kind: 'archive', file: path }
    const staged = await stageBundle(source, { into, disk: context.disk, signal: context.signal })
    const file = found === 'folder' ? join(arg, 'capability.json') : `${arg}:capability.json`
    const folder = found === 'folder' ? basename(path) : null
    return judged(context, readManifest(staged.manifest, { file }), staged, folder, firstParty)
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    const { code, message, hint } = error
    const finding = diagnostic('error', code, message, { file: arg, ...(hint === undefined ? {} : { hint }) })
    return { file: arg, id: null, text: null, manifest: null, diagnostics: [finding] }
  }
}

const WANTED = 'name a folder, a capability.json or an archive'

const kindOf = ({ disk }: Context, arg: string, path: string): 'folder' | 'manifest' | 'archive' => {
  try {
    const stats = disk.statSync(path)
    if (stats.isDirectory()) return 'folder'
    if (stats.isFile()) return path.endsWith('.json') ? 'manifest' : 'archive'
    throw new GsdError('FETCH_UNREADABLE', `${quote(arg)} is neither a folder nor a file`, { hint: WANTED })
  } catch (error) {
    if (error instanceof GsdError) throw error
    throw new GsdError('FETCH_NOT_FOUND', `there is no ${quote(arg)}`, {
      hint: WANTED,
      cause: error,
    })
  }
}

const judged = (
  context: Context,
  text: ManifestText,
  staged: StagedBundle | null,
  folder: string | null,
  known: ReadonlySet<string>,
): Looked => {
  const id = idOf(text.value)
  const firstParty = id !== null && known.has(id)
  const { manifest, diagnostics } = checkManifest(text, { firstParty, folder })
  const inBundle =
    manifest === null || staged === null ? [] : bundleFindings(context, manifest, { staged, text, firstParty })
  return {
    file: text.file,
    id,
    text,
    manifest,
    diagnostics: [...diagnostics, ...inBundle, ...engines(context, manifest, text)],
  }
}

const bundleFindings = (
  { now, disk }: Context,
  manifest: Manifest,
  { staged, text, firstParty }: { staged: StagedBundle; text: ManifestText; firstParty: boolean },
): Diagnostic[] => {
  const files = new Map(staged.files.map((each) => [each.path, each]))
  const findings = checkBundle(manifest, files, { text, firstParty })
  const more = bundleFaults(staged, manifest, now()).filter(({ path }) => !findings.some((each) => each.path === path))
  const hidden = scanHidden(disk, staged).map((finding) => hiddenWarning(finding, text.file))
  return [...findings, ...more.map((finding) => placed(finding, text.file, text)), ...hidden]
}

/** It installs with a flag only, and loads: so it is a warning. */
const hiddenWarning = (finding: HiddenFinding, manifest: string): Diagnostic => {
  const { file, line, column, pointer } = finding
  const place = line === 0 ? {} : { line, column }
  return diagnostic('warning', 'CONSENT_HIDDEN_TEXT', `text that a reader does not see: ${hiddenLine(finding)}`, {
    file: file === 'capability.json' ? manifest : besides(manifest, file),
    ...place,
    ...(pointer === undefined ? {} : { path: pointer }),
    hint: 'take it out; without --allow-hidden-unicode it is not installed',
  })
}

/** Another file of the bundle, named as its manifest is: `dir/capability.json`, `x.tgz:capability.json`. */
const besides = (manifest: string, file: string): string => manifest.replace(/capability\.json$/, file)

const idOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? value.id : null

const engines = ({ hostVersion }: Context, manifest: Manifest | null, text: ManifestText): Diagnostic[] => {
  const verdict = judgeEngines(manifest?.engines, hostVersion.version)
  if (verdict === null || verdict.ok) return []
  return [
    placed(
      diagnostic(
        'error',
        'OVERLAY_INCOMPATIBLE',
        `it needs GSD ${quote(verdict.range)}, and this is ${verdict.version} (${hostVersion.from})`,
        {
          path: '/engines/gsd',
          hint: 'widen engines.gsd, or judge it for another GSD with --host-version <version>',
        },
      ),
      text.file,
      text,
    ),
  ]
}

const withoutIndex = ({ index: _index, ...finding }: CrossDiagnostic): Diagnostic => finding

const placed = (finding: Diagnostic, file: string, text: ManifestText | null): Diagnostic =>
  text === null || finding.path === undefined
    ? { ...finding, file }
    : { ...finding, file, ...text.locate(finding.path, 'value') }
