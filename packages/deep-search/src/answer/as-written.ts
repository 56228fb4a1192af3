import { spellings } from "../understanding/measures.ts";
import type { Understanding } from "../understanding/understanding.ts";
import { isSpeakable } from "./speakable.ts";

/** Finds words in the request as the user wrote them; undefined if they must not be repeated in an answer. */
export type AsWritten = (words: readonly string[]) => string | undefined;

const maxLength = 40;
/** Letters, and numbers as short as a size. */
const plainPhrase =
  /^(?=.*\p{L}|\d{1,3}$)(?:\p{L}[\p{L}\p{M}'’-]*|\d{1,3}\p{L}{0,4})(?:[ -](?:\p{L}[\p{L}\p{M}'’-]*|\d{1,3}\p{L}{0,4}))*$/u;
const money = /\b(?:dollars?|euros?|pounds?|yen|usd|eur|gbp|stars?|products)\b/iu;

export function createAsWritten(requests: readonly string[], typed: Understanding["typed"]): AsWritten {
  const find = (words: readonly string[]): string | undefined => {
    const pattern = words.map(literally).join("[\\s-]+");
    const whole = new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, "iu");
    return requests.map((request) => whole.exec(request)?.[0]).find((written) => written !== undefined);
  };
  const sourceOf = (word: string): string => {
    const entry = [...(typed ?? [])].find(([english]) => english.split(" ").includes(word));
    return entry?.[1] ?? word;
  };
  return (words) => {
    if (words.length === 0) return undefined;
    const sources = [...new Set(words.map(sourceOf))];
    const spelt = words.map((word) => spellings(word).at(-1) ?? word);
    const said = find(words) ?? find(sources.flatMap((source) => source.split(" "))) ?? find(spelt);
    if (said === undefined) return undefined;
    const text = said.replace(/\s+/gu, " ");
    const isPlain = text.length <= maxLength && plainPhrase.test(text) && !money.test(text);
    return isPlain && isSpeakable(text) ? text : undefined;
  };
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
