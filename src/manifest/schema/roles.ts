import { choice } from '../shapes/leaf-shapes.ts'
import { object, optional, refused, required, type Members } from '../shapes/object-shapes.ts'
import type { Shape } from '../shapes/shape.ts'
import { CONFIG_OPTIONAL } from './config.ts'
import { ENVELOPE, ROLES } from './envelope.ts'
import { FEATURE_BODY, featureOnlyRefused, RUNTIME_COMPAT } from './feature.ts'
import { COMMANDS } from './programs.ts'
import { REVIEWER_BODY } from './reviewer.ts'
import { RUNTIME_BODY } from './runtime.ts'

export type KnownRole = (typeof ROLES)[number]

const role = required(choice('MANIFEST_ROLE', ROLES))

const manifestShape = (body: Members): Shape => object('MANIFEST_NOT_AN_OBJECT', { ...ENVELOPE, role, ...body })

/** The whole manifest of each role (rules 13, 26, 27 and 35). */
export const MANIFEST_SHAPES = {
  feature: manifestShape(FEATURE_BODY),
  runtime: manifestShape({
    runtime: required(RUNTIME_BODY),
    reviewer: optional(REVIEWER_BODY),
    config: CONFIG_OPTIONAL,
    commands: optional(COMMANDS),
    runtimeCompat: optional(RUNTIME_COMPAT),
    ...featureOnlyRefused('runtime'),
  }),
  reviewer: manifestShape({
    reviewer: required(REVIEWER_BODY),
    config: CONFIG_OPTIONAL,
    runtimeCompat: optional(RUNTIME_COMPAT),
    runtime: refused('MANIFEST_REVIEWER_WITH_RUNTIME'),
    ...featureOnlyRefused('reviewer'),
  }),
} as const satisfies Record<KnownRole, Shape>

/** A manifest with an unknown role: its other members are free. */
export const ENVELOPE_ONLY: Shape = object('MANIFEST_NOT_AN_OBJECT', ENVELOPE, 'free')
