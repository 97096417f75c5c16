// Loaded before the program: writes down the largest memory it had, in KiB, when it ends.
import { readFileSync, writeFileSync } from 'node:fs'

process.on('exit', () => {
  let peak = process.resourceUsage().maxRSS
  try {
    // What the system counts for a process includes the one it was forked from; this does not.
    peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? peak)
  } catch {
    // Not on this system.
  }
  writeFileSync(process.env['GSD_BENCH_PEAK'] ?? '/dev/null', String(peak))
})
