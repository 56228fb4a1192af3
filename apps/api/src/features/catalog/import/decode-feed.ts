import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { FeedError } from "./feed-row.ts";

/** Enough to tell the kind of a feed by. */
const headBytes = 1024;
/** After unpacking; a bomb ends here. */
const maxFeedBytes = 256 * 1024 ** 3;

/** The feed's text, piece by piece, whether its bytes are gzipped or plain, in UTF-8, UTF-16 or as XML declares them. */
export async function* decodeFeed(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const packed = await withHead(chunks);
  const { head, all } = isGzip(packed.head) ? await withHead(gunzip(packed.all)) : packed;
  const decoder = createDecoder(head);
  let bytes = 0;
  for await (const chunk of all) {
    bytes += chunk.length;
    if (bytes > maxFeedBytes) throw new FeedError(`The feed is larger than ${maxFeedBytes} bytes unpacked.`);
    yield decode(decoder, chunk);
  }
  yield decode(decoder);
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    throw new FeedError(
      `The feed holds bytes that are not ${decoder.encoding}: save it as UTF-8, or declare the encoding it has.`,
      { cause },
    );
  }
}

/** XML must be right to the byte; of the other formats only the rows that hold wrong bytes are refused. */
function createDecoder(head: Uint8Array): TextDecoder {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le", { fatal: true });
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be", { fatal: true });
  if (head.includes(0)) throw new FeedError("The feed is no text.");
  const start = Buffer.from(head).toString("latin1").replace(/^ï»¿/, "").trimStart();
  if (start.startsWith("PK\x03\x04"))
    throw new FeedError("The feed is a zip archive: unpack it, or use gzip.");
  if (!start.startsWith("<")) return new TextDecoder("utf-8");
  const [, declared = "utf-8"] = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(start) ?? [];
  try {
    return new TextDecoder(declared, { fatal: true });
  } catch (cause) {
    throw new FeedError(`The feed declares the unknown encoding "${declared}".`, { cause });
  }
}

function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip();
  // Failures of the source reach the reader through the stream that they end.
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

/** The first bytes, and all of them again. */
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
