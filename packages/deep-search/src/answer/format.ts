import { spellings } from "../understanding/measures.ts";
import type { Understanding } from "../understanding/understanding.ts";

const formats = new Map<string, Intl.NumberFormat>();

/** "$1,299.50": the format of prices in all sentences. */
export function formatPrice(amount: number, currency: string): string {
  return formatOf(currency, "auto").format(amount);
}

/** "$150": a bound in a suggested query, without needless decimals. */
export function formatBound(amount: number, currency: string): string {
  return formatOf(currency, "stripIfInteger").format(amount);
}

function formatOf(currency: string, trailingZeroDisplay: "auto" | "stripIfInteger"): Intl.NumberFormat {
  const key = `${currency} ${trailingZeroDisplay}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat("en", { style: "currency", currency, trailingZeroDisplay });
    formats.set(key, format);
  }
  return format;
}

const counts = new Intl.NumberFormat("en");

export function formatCount(count: number): string {
  return counts.format(count);
}

/** Ratings without needless decimals: 4, 4.5, 4.57. */
export function formatRating(rating: number): string {
  return String(Math.round(rating * 100) / 100);
}

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

const longest = 160;

/** A name with markup, a link, an amount of money or a control character is shown as data, but not used in a sentence. */
export function isSpeakable(text: string): boolean {
  return (
    text.length <= longest &&
    !/[<>{}[\]|\\`\p{Cc}\p{Cf}\p{Sc}]/u.test(text) &&
    !/(?:https?:|www\.|\b[\w-]+\.(?:com|net|org|io|shop|example|info|biz|ru|cn)\b)/iu.test(text) &&
    !/\b(?:ignore|disregard|instructions?|system prompt)\b/iu.test(text)
  );
}

const host = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z]{2,}$/iu;

/** A store may be called like its host, which an import takes if the feed names no store. */
export function isSpeakableStore(name: string): boolean {
  return isSpeakable(name) || (name.length <= longest && host.test(name));
}
