const KIB = 1024
const MIB = 1024 * KIB

/** A byte count for people: `64 MiB`, `1 KiB`, `12 bytes`. */
export const formatSize = (bytes: number): string => {
  if (bytes >= MIB) return `${Math.round((bytes / MIB) * 10) / 10} MiB`
  if (bytes >= KIB) return `${Math.round((bytes / KIB) * 10) / 10} KiB`
  return `${bytes} bytes`
}
