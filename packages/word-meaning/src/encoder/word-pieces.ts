import { findText, type SectionFile } from "../sections.ts";

/** More pieces of a text are not read. */
export const maxPieces = 32;
/** The longest piece, with the signs that mark the inside of a word. */
const longestPiece = 18;
/** What follows would be beyond the last piece in any usual text. */
const maxLetters = 1000;

/** The number of each piece of a text, between those for its beginning and its end. */
export type SplitText = (text: string) => number[];

/** Words are letters and digits of ASCII; any other sign stands alone. */
const wordOrSign = /[a-z0-9]+|[^\sa-z0-9]/gu;

export function openWordPieces(file: SectionFile): SplitText {
  const starts = file.read(Uint32Array, "pieceStarts");
  const bytes = file.read(Uint8Array, "pieces");
  const pieceOf = (text: string) => findText(starts, bytes, text);
  const [first, last, unknown] = ["[CLS]", "[SEP]", "[UNK]"].map(pieceOf) as [number, number, number];

  /** The longest pieces from the left; undefined if a part of the word is no piece. */
  const piecesOf = (word: string): number[] | undefined => {
    const pieces: number[] = [];
    for (let at = 0; at < word.length; ) {
      const prefix = at > 0 ? "##" : "";
      let end = Math.min(word.length, at + longestPiece - prefix.length);
      let piece = pieceOf(prefix + word.slice(at, end));
      while (piece < 0 && end > at + 1) piece = pieceOf(prefix + word.slice(at, --end));
      if (piece < 0) return undefined;
      pieces.push(piece);
      at = end;
    }
    return pieces;
  };

  return (text) => {
    const folded = text
      .slice(0, maxLetters)
      .toLowerCase()
      .normalize("NFD")
      .replace(/\p{Mn}/gu, "");
    const pieces = [first];
    for (const [word] of folded.matchAll(wordOrSign)) {
      pieces.push(...(piecesOf(word) ?? [unknown]));
      if (pieces.length >= maxPieces - 1) break;
    }
    return [...pieces.slice(0, maxPieces - 1), last];
  };
}
