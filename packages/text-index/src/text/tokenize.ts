import { fold } from "./fold.ts";
import { apostrophe, endOfNumber, isDigit, isLetter, normalNumbers, numberPattern, point } from "./number.ts";

/** Longer words are cut: nobody types them, and the size of the index must be limited. */
export const maxWordLength = 64;

// Scripts written without spaces (and Hangul, whose particles are attached to nouns) are indexed as bigrams.
const spacelessScript =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー";
const tokenPattern = new RegExp(
  [
    `(?<number>${numberPattern})(?<mark>\\s?"|\\s?''|'(?!(?!x\\s?\\p{N})\\p{L}))?`,
    `(?<spaceless>(?:(?=[${spacelessScript}])[\\p{L}\\p{M}])[${spacelessScript}\\p{M}]*)`,
    `(?<word>(?:(?![${spacelessScript}])[\\p{L}\\p{M}])+(?:'(?:(?![${spacelessScript}])[\\p{L}\\p{M}])+)*)`,
  ].join("|"),
  "gu",
);

/**
 * The words of a text, folded, in order. Letters and digits are separated ("18v" is "18", "v"), so that "wd40",
 * "wd-40" and "wd 40" are the same; `12"` is 12 in and `6'` is 6 ft; apostrophes are removed ("men's" is "mens").
 * Scripts without spaces give bigrams, and in documents also single characters, so that a one-character query finds
 * them.
 */
export function tokenize(text: string, purpose: "document" | "query" = "document"): string[] {
  const folded = fold(text);
  if (notAscii.test(folded)) return tokenizeAny(folded, purpose);
  const words: string[] = [];
  tokenizeAscii(folded, {
    letters: (start, end) => words.push(folded.slice(start, end)),
    word: (word) => words.push(word),
  });
  return words;
}

/** Takes the words of a text in their order. */
export interface WordSink {
  /** A word of the letters a to z, as its place in the text: most words need not become a string of their own. */
  letters(start: number, end: number): void;
  word(word: string): void;
}

/** The words of a document's text that is folded already. */
export function tokenizeFolded(folded: string, sink: WordSink): void {
  if (notAscii.test(folded)) for (const word of tokenizeAny(folded, "document")) sink.word(word);
  else tokenizeAscii(folded, sink);
}

function tokenizeAny(folded: string, purpose: "document" | "query"): string[] {
  const words: string[] = [];
  for (const match of folded.matchAll(tokenPattern)) {
    const { number, mark, spaceless, word } = match.groups ?? {};
    if (word !== undefined) words.push(word.replaceAll("'", "").slice(0, maxWordLength));
    else if (number !== undefined) pushNumber((one) => words.push(one), number, mark);
    else if (spaceless !== undefined) pushBigrams(words, spaceless, purpose);
  }
  return words;
}

/** The same for ASCII text without a regular expression: indexing spends most of its time here. */
function tokenizeAscii(folded: string, sink: WordSink): void {
  for (let at = 0; at < folded.length; ) {
    const code = folded.charCodeAt(at);
    if (isLetter(code)) {
      const start = at;
      let hasApostrophe = false;
      for (; at < folded.length; at++) {
        const next = folded.charCodeAt(at);
        if (isLetter(next)) continue;
        if (next !== apostrophe || !isLetter(folded.charCodeAt(at + 1))) break;
        hasApostrophe = true;
      }
      if (hasApostrophe) sink.word(folded.slice(start, at).replaceAll("'", "").slice(0, maxWordLength));
      else sink.letters(start, Math.min(at, start + maxWordLength));
    } else if (isDigit(code) || (code === point && isDigit(folded.charCodeAt(at + 1)))) {
      at = pushNumberAt(sink, folded, at);
    } else at++;
  }
}

const notAscii = /[^\0-\x7f]/;
const asciiMark = /\s?"|\s?''|'(?!(?!x\s?\d)[a-z])/y;
/** Reads the number at a position of a text, with the sign of its unit, and returns its end. */
function pushNumberAt(sink: WordSink, folded: string, at: number): number {
  const end = endOfNumber(folded, at);
  const mark = markAt(folded, end);
  pushNumber((one) => sink.word(one), folded.slice(at, end), mark);
  return end + (mark?.length ?? 0);
}

/** Only after a space or a quote there can be one. */
function markAt(folded: string, at: number): string | undefined {
  if (folded.charCodeAt(at) > apostrophe) return undefined;
  asciiMark.lastIndex = at;
  return asciiMark.exec(folded)?.[0];
}

function pushNumber(push: (word: string) => void, number: string, mark: string | undefined): void {
  for (const word of normalNumbers(number)) push(word.slice(0, maxWordLength));
  if (mark !== undefined) push(mark.trim() === "'" ? "ft" : "in");
}

function pushBigrams(words: string[], run: string, purpose: "document" | "query"): void {
  const characters = [...run];
  if (characters.length === 1 || purpose === "document") words.push(...characters);
  for (let i = 0; i + 1 < characters.length; i++) words.push(`${characters[i]}${characters[i + 1]}`);
}
