/** True for a path or file name that ends as an archive's does. */
export const isArchiveName = (name: string): boolean => /[^/]\.(?:tgz|tar\.gz)$/i.test(name)
