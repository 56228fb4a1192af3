import type { Phrase } from "./phrase-table.ts";

/** An opening mark stands behind no letter, so that the inches of `12" x 24"` quote nothing. */
const pattern = /(?<![\p{L}\p{N}"])(?:"(?=\S)([^"]*\S)"|[“„«](?=\S)([^”“»]*\S)[”“»])(?![\p{L}\p{N}"])/gu;

/** What stands in quotation marks is searched for as it is. Read first: nothing else looks into it. */
export const quotedText: Phrase = {
  pattern,
  read: (match) => ({ quoted: match[1] ?? match[2] ?? "" }),
};
