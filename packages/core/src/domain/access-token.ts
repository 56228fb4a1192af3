import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const form = /^pss_[0-9A-Za-z]{36}$/;

/**
 * `pss_`, 30 random base62 characters, and 6 for their CRC32: secret scanners recognise it, and typing errors are
 * detected.
 */
export function createAccessToken(): string {
  const secret = randomCharacters(30);
  return `pss_${secret}${checksum(secret)}`;
}

/** Whether the text can be a token; checked without a look-up. */
export function isAccessToken(text: string): boolean {
  return form.test(text) && text.slice(34) === checksum(text.slice(4, 34));
}

/** The hash of a token, which is all that the database stores. */
export function hashAccessToken(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

function randomCharacters(length: number): string {
  let text = "";
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte. Larger values are discarded, so that every character is equally
    // likely.
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

function checksum(secret: string): string {
  let value = crc32(secret);
  let text = "";
  for (let place = 0; place < 6; place++) {
    text = alphabet[value % 62] + text;
    value = Math.floor(value / 62);
  }
  return text;
}
