import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { type Machine, makeMachine, type Run } from '../helpers/gsd.ts'

export const PHASE = '.planning/phases/03-login'

/** A project with one phase, and a folder of fake programs in front of the PATH. */
export interface ReviewFixture {
  readonly machine: Machine
  readonly env: Readonly<Record<string, string>>
  /** Writes a fake program: the body of a shell script. */
  program(name: string, script: string): string
  /** Runs `gsd review …`. */
  review(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Run>
  /** Runs `gsd review run` over the phase. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Run>
  /** The document; empty where there is none. */
  reviews(): string
  /** Writes a file of the project. */
  file(path: string, content: string): string
  config(value: unknown): void
}

export const useReview = (): ReviewFixture => {
  let machine: Machine
  beforeEach(() => {
    machine = makeMachine('gsd-review-test')
    machine.put(`project/${PHASE}/03-01-PLAN.md`, '# Plan\n\nAdd a login page in src/login.ts.\n')
  })
  afterEach(() => machine.remove())
  const env = () => ({ PATH: `${join(machine.root, 'bin')}:${machine.env['PATH'] ?? ''}` })
  const fixture: ReviewFixture = {
    get machine() {
      return machine
    },
    get env() {
      return env()
    },
    program: (name, script) => machine.put(`bin/${name}`, `#!/bin/sh\n${script}\n`, 0o755),
    review: (args, more = {}) => machine.gsd(['review', ...args], { env: { ...env(), ...more } }),
    run: (args, more) => fixture.review(['run', '--phase-dir', PHASE, ...args], more),
    reviews() {
      const file = join(machine.project, PHASE, '03-REVIEWS.md')
      return existsSync(file) ? readFileSync(file, 'utf8') : ''
    },
    file: (path, content) => machine.put(`project/${path}`, content),
    config: (value) => void machine.put('project/.planning/config.json', JSON.stringify(value)),
  }
  return fixture
}
