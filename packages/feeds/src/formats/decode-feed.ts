import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { chooseDecoder, type FeedDecoder } from "./choose-decoder.ts";
import { FeedError } from "./feed-row.ts";

/** Enough to detect the format of a feed. */
const headBytes = 1024;
/** Limit after decompression, against decompression bombs. */
const maxFeedBytes = 256 * 1024 ** 3;

export interface DecodeOptions {
  /** A name of the WHATWG Encoding standard. Without it, the encoding is detected. */
  encoding?: string;
  /** Called once, when the encoding is known. */
  onEncoding?(name: string): void;
}

/** The feed's text in chunks, whether its bytes are compressed with gzip or not. */
export async function* decodeFeed(
  chunks: AsyncIterable<Uint8Array>,
  { encoding, onEncoding = () => {} }: DecodeOptions = {},
): AsyncGenerator<string> {
  const packed = await withHead(chunks);
  const { head, all } = isGzip(packed.head) ? await withHead(gunzip(packed.all)) : packed;
  const decoder = chooseDecoder(head, encoding);
  let bytes = 0;
  for await (const chunk of all) {
    bytes += chunk.length;
    if (bytes > maxFeedBytes) throw new FeedError(`The feed is larger than ${maxFeedBytes} bytes unpacked.`);
    yield decode(decoder, chunk);
  }
  yield decode(decoder);
  onEncoding(decoder.encoding);
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
