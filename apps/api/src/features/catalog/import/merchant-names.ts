/** `g:image_link`, `Image Link` and `image link` are all `image_link`. */
export function merchantName(header: string): string {
  return header
    .trim()
    .toLowerCase()
    .replace(/^g:/, "")
    .replace(/[\s-]+/g, "_");
}

/** What a header must name for a table to be a product feed. */
export function looksLikeHeader(names: readonly string[]): boolean {
  return names.includes("id") && (names.includes("title") || names.includes("name"));
}
