import { basename, join, resolve } from 'node:path'
import type { BundleSource, StagedBundle } from '../bundle/bundle.ts'
import { readManifestFile } from '../bundle/read-manifest-file.ts'
import { stageBundle } from '../bundle/stage-bundle.ts'
import type { Context } from '../context.ts'
import { diagnostic, type Diagnostic } from '../diagnostic.ts'
import { GsdError } from '../errors.ts'
import { checkBundleFiles } from '../manifest/check-bundle-files.ts'
import { checkManifest } from '../manifest/check-manifest.ts'
import { matchEngines } from '../manifest/engines.ts'
import type { Manifest } from '../manifest/manifest.ts'
import { parseManifest, type ManifestText } from '../manifest/parse-manifest.ts'
import { StatTracker } from '../overlay/cache/stat-tracker.ts'
import { readBuiltInSet, readSetInFolder } from '../overlay/first-party.ts'
import { quote } from '../redact.ts'
import { validateCrossCapability, type CrossDiagnostic } from '../registry/validate-cross-capability.ts'
import { checkStagedBundle } from '../resolve/check-staged.ts'
import { scanHiddenText } from '../resolve/scan-hidden-text.ts'
import { withStaging } from '../transaction/staging.ts'
import { formatHiddenFinding, type HiddenFinding } from '../trust/hidden-text/hidden-finding.ts'
import { checkLookAlikes } from '../trust/look-alike-warnings.ts'

/** The result for one argument of `capability validate`. */
export interface ValidatedFile {
  /** As the user typed it; for a folder or archive, the manifest in it. */
  readonly file: string
  readonly id: string | null
  readonly diagnostics: readonly Diagnostic[]
}

export interface ValidateAnswer {
  readonly files: readonly ValidatedFile[]
  /** Text of each manifest, by `file`, to show the line of a finding. */
  readonly texts: ReadonlyMap<string, string>
}

/**
 * Checks folders, manifests and archives against every rule, without installing anything. All arguments are composed with
 * each other and the first-party set, not with what is installed; one with a first-party id replaces that capability
 * (contract, `capability validate`).
 */
export const validate = async (context: Context, args: readonly string[]): Promise<ValidateAnswer> => {
  const firstParty = firstPartyManifests(context)
  const known = new Set(firstParty.map(({ id }) => id))
  const checked = await withStaging(context, async ({ dir }) => {
    const files: CheckedArgument[] = []
    for (const [index, arg] of args.entries())
      files.push(await checkArgument(context, arg, join(dir, `${index}`), known))
    return files
  })
  const others = firstParty.filter(({ id }) => !checked.some(({ manifest }) => manifest?.id === id))
  const valid = checked.filter(({ manifest }) => manifest !== null)
  const cross = validateCrossCapability(
    valid.map(({ manifest }) => manifest),
    { firstParty: others },
  )
  return {
    files: checked.map(({ file, id, text, diagnostics, manifest }) => ({
      file,
      id,
      diagnostics: [
        ...diagnostics,
        ...checkLookAlikes(firstParty, manifest === null ? [] : [manifest]),
        ...cross
          .filter(({ index }) => valid[index]?.manifest === manifest && manifest !== null)
          .map((finding) => withLocation(withoutIndex(finding), file, text)),
      ],
    })),
    texts: new Map(checked.flatMap(({ file, text }) => (text === null ? [] : [[file, text.text] as const]))),
  }
}

const firstPartyManifests = (context: Context): readonly Manifest[] => {
  const { firstParty, hostVersion } = context
  const tracker = new StatTracker(context.now())
  const set = firstParty === null ? readBuiltInSet(tracker) : readSetInFolder(tracker, firstParty, hostVersion)
  return set.overlays.flatMap((overlay) => (overlay.kind === 'usable' ? [overlay.candidate.manifest] : []))
}

interface CheckedArgument {
  readonly file: string
  readonly id: string | null
  readonly text: ManifestText | null
  readonly manifest: Manifest | null
  readonly diagnostics: readonly Diagnostic[]
}

const checkArgument = async (
  context: Context,
  arg: string,
  into: string,
  firstParty: ReadonlySet<string>,
): Promise<CheckedArgument> => {
  try {
    const path = resolve(context.cwd, arg)
    const found = kindOf(context, arg, path)
    if (found === 'manifest')
      return checkManifestText(context, { ...readManifestFile(path, context.disk), file: arg }, null, null, firstParty)
    const source: BundleSource = found === 'folder' ? { kind: 'folder', dir: path } : { kind: 'archive', file: path }
    const staged = await stageBundle(source, { into, disk: context.disk, signal: context.signal })
    const file = found === 'folder' ? join(arg, 'capability.json') : `${arg}:capability.json`
    const folder = found === 'folder' ? basename(path) : null
    return checkManifestText(context, parseManifest(staged.manifest, { file }), staged, folder, firstParty)
  } catch (error) {
    if (!(error instanceof GsdError) || error.code === 'INTERRUPTED') throw error
    const { code, message, hint } = error
    const finding = diagnostic('error', code, message, { file: arg, ...(hint === undefined ? {} : { hint }) })
    return { file: arg, id: null, text: null, manifest: null, diagnostics: [finding] }
  }
}

const EXPECTED_HINT = 'name a folder, a capability.json or an archive'

const kindOf = ({ disk }: Context, arg: string, path: string): 'folder' | 'manifest' | 'archive' => {
  try {
    const stats = disk.statSync(path)
    if (stats.isDirectory()) return 'folder'
    if (stats.isFile()) return path.endsWith('.json') ? 'manifest' : 'archive'
    throw new GsdError('FETCH_UNREADABLE', `${quote(arg)} is neither a folder nor a file`, { hint: EXPECTED_HINT })
  } catch (error) {
    if (error instanceof GsdError) throw error
    throw new GsdError('FETCH_NOT_FOUND', `${quote(arg)} does not exist`, {
      hint: EXPECTED_HINT,
      cause: error,
    })
  }
}

const checkManifestText = (
  context: Context,
  text: ManifestText,
  staged: StagedBundle | null,
  folder: string | null,
  known: ReadonlySet<string>,
): CheckedArgument => {
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
    diagnostics: [...diagnostics, ...inBundle, ...checkEngines(context, manifest, text)],
  }
}

const bundleFindings = (
  { now, disk }: Context,
  manifest: Manifest,
  { staged, text, firstParty }: { staged: StagedBundle; text: ManifestText; firstParty: boolean },
): Diagnostic[] => {
  const files = new Map(staged.files.map((each) => [each.path, each]))
  const findings = checkBundleFiles(manifest, files, { text, firstParty })
  const more = checkStagedBundle(staged, manifest, now()).filter(
    ({ path }) => !findings.some((each) => each.path === path),
  )
  const hidden = scanHiddenText(disk, staged).map((finding) => hiddenWarning(finding, text.file))
  return [...findings, ...more.map((finding) => withLocation(finding, text.file, text)), ...hidden]
}

/** A warning, since it loads and installs with a flag. */
const hiddenWarning = (finding: HiddenFinding, manifest: string): Diagnostic => {
  const { file, line, column, pointer } = finding
  const place = line === 0 ? {} : { line, column }
  return diagnostic('warning', 'CONSENT_HIDDEN_TEXT', `invisible text: ${formatHiddenFinding(finding)}`, {
    file: file === 'capability.json' ? manifest : siblingPath(manifest, file),
    ...place,
    ...(pointer === undefined ? {} : { path: pointer }),
    hint: 'remove it; it installs only with --allow-hidden-unicode',
  })
}

/** Another file of the bundle, in the form of its manifest's name: `dir/capability.json`, `x.tgz:capability.json`. */
const siblingPath = (manifest: string, file: string): string => manifest.replace(/capability\.json$/, file)

const idOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? value.id : null

const checkEngines = ({ hostVersion }: Context, manifest: Manifest | null, text: ManifestText): Diagnostic[] => {
  const verdict = matchEngines(manifest?.engines, hostVersion.version)
  if (verdict === null || verdict.ok) return []
  return [
    withLocation(
      diagnostic(
        'error',
        'OVERLAY_INCOMPATIBLE',
        `it needs GSD ${quote(verdict.range)}, and this is ${verdict.version} (${hostVersion.from})`,
        {
          path: '/engines/gsd',
          hint: 'widen engines.gsd, or check it against another GSD with --host-version <version>',
        },
      ),
      text.file,
      text,
    ),
  ]
}

const withoutIndex = ({ index: _index, ...finding }: CrossDiagnostic): Diagnostic => finding

const withLocation = (finding: Diagnostic, file: string, text: ManifestText | null): Diagnostic =>
  text === null || finding.path === undefined
    ? { ...finding, file }
    : { ...finding, file, ...text.locate(finding.path, 'value') }
