import type { TextSearch } from "@product-search/core/ports/text-search.ts";

/** What "a runner" or "a cyclist" does, in words that products use; undefined if no product uses them. */
export async function activityOf(
  word: string,
  { wordFrequency }: Pick<TextSearch, "wordFrequency">,
): Promise<string | undefined> {
  for (const candidate of candidatesFor(word)) {
    if ((await wordFrequency(candidate)) > 0) return candidate;
  }
  return undefined;
}

/** "runner" → running, run; "hiker" → hiking, hike; "guitarist" → guitaring, guitar. */
function candidatesFor(word: string): string[] {
  const [, base] = /^(\p{L}{2,}?)(?:ers?|ors?|ists?)$/u.exec(word) ?? [];
  if (base === undefined) return [];
  const single = base.replace(/([^aeiou])\1$/u, "$1");
  return [...new Set([`${base}ing`, base, `${base}e`, single])].filter(({ length }) => length > 2);
}
