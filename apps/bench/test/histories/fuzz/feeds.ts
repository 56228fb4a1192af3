import { FeedError } from "@product-search/feeds/formats/feed-row.ts";
import { readFeed } from "@product-search/feeds/formats/read-feed.ts";
import { mutate, oneOf } from "./mutate.ts";
import type { FuzzTarget } from "./run-target.ts";

const item = "<item><g:id>a</g:id><g:title>Mug &amp; cup</g:title><g:price>9.99 USD</g:price></item>";
const feeds: readonly [string, ...string[]] = [
  '{"key":"a","name":"Mug","price":9.99}\n{"key":"b","name":"Cup","price":"4 USD"}\n',
  'id,title,price\na,"Mug, 3"" wide",9.99 USD\nb,Cup,4 USD\n',
  "id\ttitle\tprice\na\tMug\t9.99 USD\n",
  `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0"><channel>${item}${item}</channel></rss>`,
];
const pieces: readonly [string, ...string[]] = [
  '<!DOCTYPE a [<!ENTITY b "bbbb"><!ENTITY c "&b;&b;&b;">]>',
  "&c;",
  "<![CDATA[",
  "]]>",
  "<item>",
  "</item>",
  "<a><a><a>",
  "&#0;",
  "&#x10ffff;",
  '"',
  '""',
  ",".repeat(1100),
  "\t".repeat(1100),
  "\n",
  "\r",
  "\0",
  "\u{1f600}",
  "\ufeff",
  "[".repeat(500),
  '{"key":',
  "1e999",
  "\x1f\x8b",
];
const pieceBytes = 512;

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** The readers of CSV, TSV, XML and JSON Lines: rows, or a `FeedError`. */
export const createFeedTarget = (): FuzzTarget => ({
  maxMs: 1000,
  maxGrowthMb: 16,
  next: (random) => mutate(random, Buffer.from(oneOf(random, feeds)), pieces),
  async run(input) {
    try {
      for await (const rows of readFeed(inPieces(input))) void rows.length;
      return "accepted";
    } catch (error) {
      if (error instanceof FeedError) return "refused";
      throw error;
    }
  },
});
