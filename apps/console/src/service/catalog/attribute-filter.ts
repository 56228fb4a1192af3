/** A filter on an attribute as the page's address has it: `color:Black`, where a colon in the name is written `\:`. */
export function writeAttributeFilter(name: string, value: string): string {
  return `${name.replace(/[\\:]/g, "\\$&")}:${value}`;
}

/** Undefined for a text that is none. */
export function readAttributeFilter(text: string): { name: string; value: string } | undefined {
  const [, name = "", value = ""] = /^((?:\\.|[^\\:])+):(.+)$/s.exec(text) ?? [];
  return value.trim() === "" ? undefined : { name: name.replace(/\\(.)/g, "$1"), value };
}

/** Filters as a request has them: the values of each name. Texts that are none are left out. */
export function attributesByName(filters: readonly string[]): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const text of filters) {
    const filter = readAttributeFilter(text);
    if (filter) values.set(filter.name, [...(values.get(filter.name) ?? []), filter.value]);
  }
  return Object.fromEntries(values);
}

/** "age_group" as a title: "Age group". */
export function attributeTitle(name: string): string {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const letterSizes = ["xxs", "xs", "s", "m", "l", "xl", "xxl", "2xl", "3xl", "4xl", "5xl"];

/** Sizes and numbers in their own order; other values stay as they are, the most frequent first. */
export function inNaturalOrder<Entry extends { value: string }>(entries: readonly Entry[]): readonly Entry[] {
  const ranks = entries.map(({ value }) => rankOf(value));
  if (ranks.includes(undefined)) return entries;
  return entries
    .map((entry, index) => ({ entry, rank: ranks[index] ?? 0 }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry);
}

/** Letters before numbers; undefined for a word. */
function rankOf(value: string): number | undefined {
  const letters = letterSizes.indexOf(value.toLowerCase());
  if (letters >= 0) return letters - letterSizes.length;
  const [number] = /^\d+(?:[.,]\d+)?/.exec(value) ?? [];
  return number === undefined ? undefined : Number(number.replace(",", "."));
}
