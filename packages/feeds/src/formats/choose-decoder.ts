import { isAscii, isUtf8 } from "node:buffer";
import { FeedError, invalidBytesMark } from "./feed-row.ts";

/** U+FFFD in UTF-8. */
const replacement = Buffer.from("\ufffd");

/** The part of TextDecoder that is needed here. Where bytes are invalid and not fatal, the text has `invalidBytesMark`. */
export interface FeedDecoder {
  readonly encoding: string;
  decode(chunk?: Uint8Array, options?: { stream: boolean }): string;
}

/**
 * The decoder for a feed that begins with `head`. XML must be valid to the last byte; in other formats only rows with
 * invalid bytes are refused.
 */
export function chooseDecoder(head: Uint8Array, encoding: string | undefined): FeedDecoder {
  if (encoding !== undefined) {
    const isXml = new TextDecoder(encoding).decode(head).trimStart().startsWith("<");
    return newDecoder(encoding, isXml);
  }
  const utf16 = utf16Of(head);
  if (utf16 !== undefined) return newDecoder(utf16, true);
  if (head.includes(0)) throw new FeedError("The feed is no text.");
  const start = Buffer.from(head).toString("latin1").replace(/^ï»¿/, "").trimStart();
  if (start.startsWith("PK\x03\x04"))
    throw new FeedError("The feed is a zip archive: unpack it, or use gzip.");
  if (start.startsWith("{") || start.startsWith("[")) return newDecoder("utf-8", false);
  if (!start.startsWith("<")) return createTableDecoder();
  const [, declared = "utf-8"] = /^<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(start) ?? [];
  try {
    return newDecoder(declared, true);
  } catch (cause) {
    throw new FeedError(`The feed declares the unknown encoding "${declared}".`, { cause });
  }
}

/** Whether `--encoding` accepts this name. */
export function isEncoding(name: string): boolean {
  try {
    newDecoder(name, false);
    return true;
  } catch {
    return false;
  }
}

function newDecoder(name: string, fatal: boolean): FeedDecoder {
  const decoder = new TextDecoder(name, { fatal });
  const { encoding } = decoder;
  // UTF-16 is fatal as it is when detected: a lost byte makes nonsense of everything after it.
  if (encoding.startsWith("utf-16")) return new TextDecoder(name, { fatal: true });
  if (fatal) return decoder;
  if (encoding === "utf-8") return createUtf8Decoder();
  // Older encodings have no U+FFFD of their own: it always stands for invalid bytes.
  return {
    encoding,
    decode: (chunk, options) => decoder.decode(chunk, options).replaceAll("\ufffd", invalidBytesMark),
  };
}

/** UTF-8 in which a valid U+FFFD differs from invalid bytes. */
function createUtf8Decoder(): FeedDecoder {
  const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
  let isStart = true;
  let held: Uint8Array = new Uint8Array();
  /** The bytes of a valid U+FFFD cannot be a part of another sequence, so the text between them is decoded by itself. */
  const decodeInvalid = (bytes: Buffer): string => {
    let text = "";
    for (let from = 0; ; from += replacement.length) {
      const next = bytes.indexOf(replacement, from);
      const piece = lenient.decode(bytes.subarray(from, next < 0 ? bytes.length : next));
      text += piece.replaceAll("\ufffd", invalidBytesMark);
      if (next < 0) return text;
      text += "\ufffd";
      from = next;
    }
  };
  return {
    encoding: "utf-8",
    decode(chunk = new Uint8Array(), { stream } = { stream: false }) {
      const all =
        held.length > 0
          ? Buffer.concat([held, chunk])
          : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      const whole = all.length - (stream ? unfinishedBytes(all) : 0);
      held = Uint8Array.from(all.subarray(whole));
      if (whole === 0) return "";
      const bytes = all.subarray(0, whole);
      const text = isUtf8(bytes) ? lenient.decode(bytes) : decodeInvalid(bytes);
      const isMarked = isStart && text.startsWith("\ufeff");
      isStart = false;
      return isMarked ? text.slice(1) : text;
    },
  };
}

/** The number of bytes at the end that may be the first of a sequence which goes on in the next piece. */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** By its byte order mark, or because half of the bytes of western text are zero in UTF-16. */
function utf16Of(head: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const zeros = [0, 0];
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = head.length / 4;
  if (even === 0 && odd > most) return "utf-16le";
  if (odd === 0 && even > most) return "utf-16be";
  return undefined;
}

/**
 * Tables do not declare their encoding. It does not matter until the first bytes that are not ASCII. These decide: the table
 * is UTF-8 if at least half of them are valid UTF-8, else Windows-1252. A UTF-8 feed with a few invalid bytes stays UTF-8.
 */
function createTableDecoder(): FeedDecoder {
  let decided: FeedDecoder | undefined;
  let held: Uint8Array = new Uint8Array();
  return {
    get encoding() {
      return decided?.encoding ?? "utf-8";
    },
    decode(chunk = new Uint8Array(), options = { stream: false }) {
      if (decided !== undefined) return decided.decode(chunk, options);
      const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
      if (isAscii(bytes)) {
        held = new Uint8Array();
        return Buffer.from(bytes).toString("latin1");
      }
      const { right, wrong, unfinished } = countSequences(bytes);
      if (right + wrong === 0 && options.stream) {
        held = Uint8Array.from(bytes.subarray(bytes.length - unfinished));
        return Buffer.from(bytes.subarray(0, bytes.length - unfinished)).toString("latin1");
      }
      const isUtf8 = right >= wrong + (options.stream ? 0 : unfinished);
      decided = newDecoder(isUtf8 ? "utf-8" : "windows-1252", false);
      return decided.decode(bytes, options);
    },
  };
}

/** The number of valid UTF-8 sequences, of bytes in none, and of bytes at the end that may still become one. */
function countSequences(bytes: Uint8Array): { right: number; wrong: number; unfinished: number } {
  let right = 0;
  let wrong = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) continue;
    const length = byte >= 0xf0 && byte <= 0xf4 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 0;
    if (length === 0 || byte > 0xf4) {
      wrong += 1;
      continue;
    }
    let found = 1;
    while (found < length && ((bytes[at + found] ?? 0) & 0xc0) === 0x80) found += 1;
    if (found === length) {
      right += 1;
      at += length - 1;
    } else if (at + found === bytes.length) {
      return { right, wrong, unfinished: found };
    } else {
      wrong += 1;
    }
  }
  return { right, wrong, unfinished: 0 };
}
