export { GsdError } from './errors.ts'
export { getDirName } from './host/runtimes/known-hosts.ts'
export { type RuntimePaths, runtimePaths as resolveRuntimePaths } from './host/runtimes/runtime-paths.ts'
export { evaluateGates, renderPoint } from './loop.ts'
export { type LoadOptions, type Loaded, loadRegistry } from './loader.ts'
export { validateCapability } from './manifest/check-manifest.ts'
export type { Manifest } from './manifest/manifest.ts'
export {
  type CrossDiagnostic,
  type CrossOptions,
  validateCrossCapability,
} from './registry/validate-cross-capability.ts'
export type { Attached, Candidate, Origin, Registry } from './registry/registry.ts'
export type { Diagnostic } from './diagnostic.ts'
