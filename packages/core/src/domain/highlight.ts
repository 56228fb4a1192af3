import { queryTerms } from "@product-search/text-index";

const words = /[\p{L}\p{M}\p{N}]+/gu;
/** The length of the part of a long text that is returned. */
const passageLength = 200;
/** How much of it comes before the first word. */
const beforeLength = 60;
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

interface Place {
  readonly start: number;
  readonly end: number;
}

/** A text as HTML in which words of a query are marked; undefined if none occurs. */
export type Highlight = (text: string) => string | undefined;

/**
 * Marks the words of a query, in any of their forms. Everything else is escaped. Of a long text, it shows the part around the
 * first of them. The texts of one response repeat their words: each is compared with the query once.
 */
export function createHighlight(query: string): Highlight {
  const terms = new Set(queryTerms(query));
  if (terms.size === 0) return () => undefined;
  const comparedWords = new Map<string, boolean>();
  const isMarked = (word: string): boolean => {
    let isMarked = comparedWords.get(word);
    if (isMarked === undefined) {
      isMarked = queryTerms(word).some((term) => terms.has(term));
      comparedWords.set(word, isMarked);
    }
    return isMarked;
  };
  return (text) => highlight(text, isMarked);
}

function highlight(text: string, isMarked: (word: string) => boolean): string | undefined {
  const places = placesOf(text, isMarked);
  const [first] = places;
  if (first === undefined) return undefined;
  const { start, end } = passageAround(text, first);
  let html = start > 0 ? "…" : "";
  let at = start;
  for (const place of places.filter((one) => one.end <= end)) {
    html += `${escapeHtml(text.slice(at, place.start))}<mark>${escapeHtml(text.slice(place.start, place.end))}</mark>`;
    at = place.end;
  }
  return html + escapeHtml(text.slice(at, end)) + (end < text.length ? "…" : "");
}

function placesOf(text: string, isMarked: (word: string) => boolean): Place[] {
  const places: Place[] = [];
  for (const { 0: word, index } of text.matchAll(words))
    if (isMarked(word)) places.push({ start: index, end: index + word.length });
  return places;
}

/** Cut at spaces, as far as there are some. */
function passageAround(text: string, first: Place): Place {
  if (text.length <= passageLength) return { start: 0, end: text.length };
  const earliest = Math.max(0, first.start - beforeLength);
  const space = text.indexOf(" ", earliest);
  const start = earliest === 0 ? 0 : space >= 0 && space < first.start ? space + 1 : first.start;
  const latest = Math.max(first.end, start + passageLength);
  if (latest >= text.length) return { start, end: text.length };
  const last = text.lastIndexOf(" ", latest);
  return { start, end: Math.max(last, first.end) };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
