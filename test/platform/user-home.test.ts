import { userInfo } from 'node:os'
import { describe, expect, it } from 'vitest'
import { userHome } from '../../src/platform/user-home.ts'
import { codeOf } from '../helpers/thrown.ts'

describe('the home', () => {
  it('is the one of the environment', () => {
    expect(userHome({ HOME: '/somewhere' })).toBe('/somewhere')
  })

  it('is the one of the account where the environment has none', () => {
    for (const env of [{}, { HOME: '' }, { HOME: ' ' }]) expect(userHome(env)).toBe(userInfo().homedir)
  })

  it('is refused when it is relative: it would be another one in each folder', () => {
    for (const HOME of ['home', './home', '~']) expect(codeOf(() => userHome({ HOME }))).toBe('USAGE_BAD_VALUE')
  })
})
