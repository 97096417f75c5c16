/** Bytes. What may be unpacked at most (security, "Archives and trees"), with its headers, were it not compressed at all. */
export const LARGEST_ARCHIVE = 320 * 1024 * 1024
