import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import type { Intent, Understanding } from "../understanding.ts";

/**
 * Colours and exclusions also get the original words of the request, if the catalog knows them: then the catalog is in that
 * language.
 */
export async function withTypedWords(
  understanding: Understanding,
  typed: ReadonlyMap<string, string>,
  { wordFrequency }: Pick<TextSearch, "wordFrequency">,
): Promise<Understanding> {
  const known = new Map<string, string>();
  for (const [english, word] of typed) if ((await wordFrequency(word)) > 0) known.set(english, word);
  if (known.size === 0) return understanding;
  const withTyped = (words: readonly string[]): string[] => [
    ...new Set(words.flatMap((word) => [word, known.get(word) ?? word])),
  ];
  const widen = (intent: Intent): Intent => {
    const { colours, without } = intent.constraints;
    return {
      ...intent,
      constraints: {
        ...intent.constraints,
        ...(colours && { colours: colours.map(withTyped) }),
        ...(without && { without: withTyped(without) }),
      },
    };
  };
  return { ...understanding, intents: understanding.intents.map(widen) };
}
