/** Words that say nothing of a skill. */
const STOP_WORDS = new Set(
  `a about all also an and any are as at be but by can do each for from has have how if in into is it its more no not of on
  or so than that the their them then these they this through to up use used user users using via was what when where which
  who will with you your`.split(/\s+/),
)

/**
 * A small generator of numbers from 0 to 1, the same in each run.
 * @param {number} seed
 */
const numbers = (seed) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/**
 * How often a search finds what it has to, over all entries: by the words of an id, and by five words of a description,
 * drawn at random with stop words left out.
 *
 * @param {any} index what `searchSkills` takes
 * @param {any} searchSkills
 */
export const measureSearch = (index, searchSkills) => {
  const random = numbers(7)
  const count = { idFirst: 0, idInTen: 0, descriptionInTen: 0 }
  /** @type {number[]} */
  const times = []
  /** @param {string} query @param {string} id */
  const place = (query, id) => {
    const start = performance.now()
    const { results } = searchSkills(index, query, { limit: 10 })
    times.push(performance.now() - start)
    return results.findIndex((/** @type {any} */ result) => result.entry.id === id)
  }
  for (const { id, description } of index.entries) {
    const byId = place(id.replace(/[^\p{L}\p{N}]+/gu, ' '), id)
    if (byId === 0) count.idFirst += 1
    if (byId >= 0) count.idInTen += 1
    if (place(drawWords(description, random).join(' '), id) >= 0) count.descriptionInTen += 1
  }
  const queries = index.entries.length
  const sorted = times.toSorted((a, b) => a - b)
  return {
    queries,
    idFirst: count.idFirst / queries,
    idInTen: count.idInTen / queries,
    descriptionInTen: count.descriptionInTen / queries,
    p95: sorted[Math.floor(sorted.length * 0.95)] ?? 0,
  }
}

/** @param {string} text @param {() => number} random */
const drawWords = (text, random) => {
  const words = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])].filter(
    (word) => word.length > 1 && !STOP_WORDS.has(word),
  )
  const drawn = []
  while (drawn.length < 5 && words.length > 0) drawn.push(...words.splice(Math.floor(random() * words.length), 1))
  return drawn
}
