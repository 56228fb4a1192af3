import { type DecodeOptions, decodeFeed } from "./decode-feed.ts";
import { detectParser } from "./detect-parser.ts";
import type { FeedParser, FeedRow } from "./feed-row.ts";

/** A longer first line does not help to detect the format. */
const maxLeadLength = 65_536;

export type ReadFeedOptions = DecodeOptions;

/** The rows of a feed of any format, in groups. Throws a `FeedError` if it is not a feed or ends early. */
export async function* readFeed(
  chunks: AsyncIterable<Uint8Array>,
  options: ReadFeedOptions = {},
): AsyncGenerator<FeedRow[]> {
  let parser: FeedParser | undefined;
  let lead = "";
  for await (const text of decodeFeed(chunks, options)) {
    if (parser === undefined) {
      lead = (lead + text).trimStart();
      if (!lead.includes("\n") && lead.length < maxLeadLength) continue;
      parser = detectParser(lead);
      yield parser.push(lead);
    } else {
      yield parser.push(text);
    }
  }
  if (parser === undefined) {
    parser = detectParser(lead);
    yield parser.push(lead);
  }
  yield parser.end();
}
