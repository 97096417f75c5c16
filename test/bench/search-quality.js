import { join } from 'node:path'
import { measureSearch } from '../skills/measure-search.js'

/** What search has to find of the 1,988 entries of the real index, and the time it may take. */
export const measureQuality = async () => {
  const { openSkillsIndex, searchSkills } = await import('../../dist/skills.js')
  const index = openSkillsIndex(join(import.meta.dirname, '../../fixtures/skills'))
  const { queries, idFirst, idInTen, descriptionInTen, p95 } = measureSearch(index, searchSkills)
  const work = `search, ${queries.toLocaleString('en')} entries`
  return [
    { work: `${work}: words of an id, first`, found: idFirst, least: 0.95, within: idFirst >= 0.95 },
    { work: `${work}: words of an id, in ten`, found: idInTen, least: 0.99, within: idInTen >= 0.99 },
    { work: `${work}: 5 words of text, in ten`, found: descriptionInTen, least: 0.9, within: descriptionInTen >= 0.9 },
    { work: `${work}: p95 in ms`, took: p95, most: 1, within: p95 <= 1 },
  ]
}

/** @param {Awaited<ReturnType<typeof measureQuality>>[number]} result */
export const qualityLine = ({ work, found, least, took, most, within }) => {
  const numbers =
    took === undefined
      ? `${((found ?? 0) * 100).toFixed(1)} % of ${(least ?? 0) * 100} %`
      : `${took.toFixed(2)} of ${most}`
  return `${work.padEnd(52)}${numbers.padStart(18)}  ${within ? 'ok' : 'MISSED'}`
}
