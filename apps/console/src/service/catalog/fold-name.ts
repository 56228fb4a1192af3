/** Names compare without case and accents, as in the service. */
export function foldName(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/**
 * A query of the service's index, which has no accents, as names of the catalog spell its words: "kuhltasche profi" is
 * "kühltasche profi" where a product or category is named so.
 */
export function spelledAs(query: string, names: readonly string[]): string {
  const words = names.flatMap((name) => name.normalize("NFC").toLowerCase().match(wordPattern) ?? []);
  return query.replace(wordPattern, (word) => {
    const isSpelling = (text: string) => foldSpelling(text) === word;
    // "kühltasche" is also the beginning of "kühltaschen".
    const beginnings = words.map((one) => [...one].slice(0, [...word].length).join(""));
    return words.find(isSpelling) ?? beginnings.find(isSpelling) ?? word;
  });
}

const wordPattern = /[\p{L}\p{M}\p{N}]+/gu;

function foldSpelling(word: string): string {
  return foldName(word).replaceAll("ß", "ss");
}
