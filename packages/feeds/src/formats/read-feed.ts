import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { columnsOfMap } from "@product-search/core/ports/imports.ts";
import { createShopProducts } from "../shops/shop-products.ts";
import type { FeedDecoder } from "./choose-decoder.ts";
import { chooseDecoder } from "./choose-decoder.ts";
import type { FeedParser, FeedRow } from "./feed-row.ts";
import { FeedError, hasInvalidBytes, maxRowLength } from "./feed-row.ts";
import { createTableParser, type TableOptions } from "./table-parser.ts";
import { createXmlParser } from "./xml-parser.ts";

const outsideStrings = /["{}[\],\n]/g;

const insideStrings = /["\\\n]/g;

/** Enough to detect the format of a feed. */
const headBytes = 1024;

/** Limit after decompression, against decompression bombs. */
const maxFeedBytes = 256 * 1024 ** 3;

/** A longer first line does not help to detect the format. */
const maxLeadLength = 65_536;

export type ReadFeedOptions = DecodeOptions & TableOptions;

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
      parser = detectParser(lead, options);
      yield parser.push(lead);
    } else {
      yield parser.push(text);
    }
  }
  if (parser === undefined) {
    parser = detectParser(lead, options);
    yield parser.push(lead);
  }
  yield parser.end();
}

interface DecodeOptions {
  /** A name of the WHATWG Encoding standard. Without it, the encoding is detected. */
  encoding?: string;
  /** Called once, at the end: only then is it known what was read. */
  onEncoding?(name: string): void;
}

/** The feed's text in chunks, whether its bytes are compressed with gzip or not. */
async function* decodeFeed(
  chunks: AsyncIterable<Uint8Array>,
  { encoding, onEncoding = () => {} }: DecodeOptions = {},
): AsyncGenerator<string> {
  const packed = await withHead(chunks);
  const { head, all } = isGzip(packed.head) ? await withHead(gunzip(packed.all)) : packed;
  const decoder = chooseDecoder(head, encoding);
  let bytes = 0;
  try {
    for await (const chunk of all) {
      bytes += chunk.length;
      if (bytes > maxFeedBytes)
        throw new FeedError(`The feed is larger than ${maxFeedBytes} bytes unpacked.`);
      yield decode(decoder, chunk);
    }
    yield decode(decoder);
  } finally {
    // Also for a reader that takes only the first rows.
    onEncoding(decoder.encoding);
  }
}

function decode(decoder: FeedDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    throw new FeedError(
      `The feed holds bytes that are not ${decoder.encoding}: save it as UTF-8, declare the encoding it has, or name it with --encoding.`,
      { cause },
    );
  }
}

function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip();
  // Errors of the source reach the reader through the stream that they destroy.
  pipeline(Readable.from(chunks), unpacked, () => {});
  try {
    yield* unpacked;
  } catch (error) {
    const isDamage = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
    throw isDamage
      ? new FeedError("The feed's gzip data are damaged or break off.", { cause: error })
      : error;
  }
}

/** Reads the first bytes, and returns a stream that includes them. */
async function withHead(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ head: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  const first: Uint8Array[] = [];
  let length = 0;
  while (length < headBytes) {
    const { done, value } = await iterator.next();
    if (done) break;
    first.push(value);
    length += value.length;
  }
  async function* all() {
    try {
      yield* first;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { head: Buffer.concat(first).subarray(0, headBytes), all: all() };
}

/** An object whose first member is the list of products, as in Shopify's `products.json`. */
const wrappedArray = /^\{\s*"(?:products|items|data)"\s*:\s*\[/;

/** The parser for the format that the text begins with. File names and media types are ignored. */
function detectParser(start: string, options: TableOptions): FeedParser {
  if (options.isMapRequired && /^[<{[]/.test(start))
    throw new FeedError("--map and --attributes are for tables, such as CSV; this feed is XML or JSON.");
  switch (start.charAt(0)) {
    case "<":
      return createXmlParser();
    case "{":
      return withShopProducts(
        wrappedArray.test(start) ? createWrappedArrayParser() : createJsonLinesParser(),
        options,
      );
    case "[":
      return withShopProducts(createJsonArrayParser(), options);
    case "":
      throw new FeedError("The feed is empty.");
  }
  const [header = ""] = start.split("\n", 1);
  if (header.includes("\t")) return createTableParser("\t", options);
  return createTableParser(header.split(";").length > header.split(",").length ? ";" : ",", options);
}

/** Objects of a shop's API become the products that can be bought. Saved settings hold for them as for its export. */
function withShopProducts(parser: FeedParser, { maps = [], onTable }: TableOptions): FeedParser {
  const products = createShopProducts((layout) => {
    const mapNumber = maps.findIndex((map) => columnsOfMap(map).length === 0);
    onTable?.({ ...layout, columns: [], names: [], ...(mapNumber >= 0 && { mapNumber }) });
  });
  return {
    push: (text) => parser.push(text).flatMap(products.push),
    end: () => [...parser.end().flatMap(products.push), ...products.end()],
  };
}

/** The text after the array is short: it is checked as a whole. */
const maxTailLength = 100_000;

function createWrappedArrayParser(): FeedParser {
  let tail = "";
  const takeTail = (text: string) => {
    tail += text;
    if (tail.length > maxTailLength) throw new FeedError("The feed goes on after the list of its products.");
  };
  const parser = createJsonArrayParser(takeTail);
  let isStarted = false;
  return {
    push(text) {
      if (isStarted) return parser.push(text);
      isStarted = true;
      const [start = ""] = wrappedArray.exec(text) ?? [];
      return parser.push(start.replace(/[^\n[]/g, " ") + text.slice(start.length));
    },
    end() {
      const rows = parser.end();
      try {
        JSON.parse(`{"products":[]${tail}`);
      } catch (cause) {
        throw new FeedError(
          "The feed ends early, or goes on after the JSON object with its products: import each such object alone.",
          { cause },
        );
      }
      return rows;
    },
  };
}

/**
 * One JSON array of objects, with any white space. It is never parsed as a whole: each object is parsed when its end is
 * reached, and only one is kept in memory.
 */
function createJsonArrayParser(takeTail?: (text: string) => void): FeedParser {
  let line = 1;
  /** The number of open brackets, the array's own among them. */
  let depth = 0;
  let isOver = false;
  let inString = false;
  /** The last piece ended with a backslash, which applies to the first character of the next one. */
  let isEscaped = false;
  /** The present element as far as earlier pieces have it, and the line in which it starts. */
  let held = "";
  let startLine: number | undefined;
  /** The element is already too long: its text is not kept. */
  let skipping = false;

  function hold(text: string): void {
    if (skipping || startLine === undefined) return;
    held += text;
    if (held.length <= maxRowLength) return;
    held = "";
    skipping = true;
  }

  /** The row of an element whose last text is given; none for the place behind a comma that ends the list. */
  function endElement(text: string, isLast: boolean): FeedRow[] {
    const isEmpty = startLine === undefined;
    const at = startLine ?? line;
    hold(text);
    const row: FeedRow = skipping
      ? { line: at, fault: { reason: `The element of the array is longer than ${maxRowLength} characters.` } }
      : parseObject(held, at, "element of the array");
    held = "";
    startLine = undefined;
    skipping = false;
    return isEmpty && isLast ? [] : [row];
  }

  /** The position of the first character from `from` on that is not white space. */
  function skipSpace(text: string, from: number): number {
    let at = from;
    for (; at < text.length && /\s/.test(text.charAt(at)); at += 1) if (text[at] === "\n") line += 1;
    return at;
  }

  return {
    push(text) {
      const rows: FeedRow[] = [];
      /** Where the text of the present element starts in this piece. */
      let from = 0;
      let at = isEscaped ? 1 : 0;
      if (text !== "") isEscaped = false;
      while (at < text.length) {
        if (isOver && takeTail !== undefined) {
          takeTail(text.slice(at));
          return rows;
        }
        if (isOver || (depth <= 1 && startLine === undefined)) {
          at = skipSpace(text, at);
          from = at;
          if (at === text.length) break;
          if (isOver)
            throw new FeedError(`The feed goes on after the end of the JSON array, in line ${line}.`);
          if (depth === 1 && !/[,\]]/.test(text.charAt(at))) startLine = line;
        }
        const pattern = inString ? insideStrings : outsideStrings;
        pattern.lastIndex = at;
        const next = pattern.exec(text)?.index;
        if (next === undefined) break;
        const character = text.charAt(next);
        at = next + 1;
        if (character === "\n") line += 1;
        else if (character === '"') inString = !inString;
        else if (character === "\\") {
          isEscaped = at === text.length;
          // A line end is left to be counted: after a backslash it is not JSON anyway.
          if (text[at] !== "\n") at += 1;
        } else if (depth === 1 && (character === "," || character === "]")) {
          for (const row of endElement(text.slice(from, next), character === "]")) rows.push(row);
          isOver = character === "]";
        } else if (character === "{" || character === "[") depth += 1;
        else if (character !== ",") {
          depth -= 1;
          if (depth === 0) throw new FeedError(`The JSON array has one bracket too many in line ${line}.`);
        }
      }
      hold(text.slice(from));
      return rows;
    },
    end() {
      if (!isOver)
        throw new FeedError(
          `The feed ends early in line ${line}: the JSON array, or an object or string in it, is not closed.`,
        );
      return [];
    },
  };
}

/** Native rows: one JSON object per line. */
function createJsonLinesParser(): FeedParser {
  let rest = "";
  let line = 1;
  /** Inside a line that is already too long: its rest is skipped. */
  let skipping = false;

  const refuse = (): FeedRow => ({
    line,
    fault: { reason: `The line is longer than ${maxRowLength} characters.` },
  });
  const parse = (text: string): FeedRow[] => {
    if (text.length > maxRowLength) return [refuse()];
    return text.trim() === "" ? [] : [parseObject(text, line, "line")];
  };
  return {
    push(text) {
      const rows: FeedRow[] = [];
      let from = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
        if (skipping) rows.push(refuse());
        else rows.push(...parse(rest + text.slice(from, end)));
        rest = "";
        skipping = false;
        from = end + 1;
        line += 1;
      }
      if (!skipping) rest += text.slice(from);
      if (rest.length > maxRowLength) {
        rest = "";
        skipping = true;
      }
      return rows;
    },
    end() {
      const [row] = skipping ? [refuse()] : parse(rest);
      if (row === undefined) return [];
      if ("fault" in row)
        throw new FeedError(
          `The feed ends early in line ${line}: the last line is not a complete JSON object.`,
        );
      return [row];
    },
  };
}

/** `place` is what messages call the text. */
function parseObject(text: string, line: number, place: string): FeedRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const isText = !hasInvalidBytes(text);
    return { line, fault: { reason: isText ? `The ${place} is not valid JSON.` : notUtf8(place) } };
  }
  if (!isRecord(value)) return { line, fault: { reason: `The ${place} holds no JSON object.` } };
  if (hasInvalidBytes(text)) return { line, fault: { reason: notUtf8(place) }, record: { own: value } };
  return { line, own: value };
}

function notUtf8(place: string): string {
  return `The ${place} holds bytes that are not UTF-8.`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
