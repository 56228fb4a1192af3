import type { Phrase } from "./phrase-table.ts";

/** An opening quotation mark never follows a letter or digit, so that the inch marks of `12" x 24"` quote nothing. */
const pattern = /(?<![\p{L}\p{N}"])(?:"(?=\S)([^"]*\S)"|[“„«](?=\S)([^”“»]*\S)[”“»])(?![\p{L}\p{N}"])/gu;

/** Quoted text is searched for unchanged. It is marked first, so that no other table reads it. */
export const quotedText: Phrase = {
  pattern,
  read: (match) => ({ quoted: match[1] ?? match[2] ?? "" }),
};
