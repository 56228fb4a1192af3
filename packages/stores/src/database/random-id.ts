import { randomBytes } from "node:crypto";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const length = 16;

/** Creates an identifier with the prefix; a test or a seed may use a fixed sequence. */
export type NewId = (prefix: string) => string;

/** A unique identifier that cannot be guessed (95 bits), such as `wh_5kPz1cX2mQ8rT4vN`. */
export function randomId(prefix: string): string {
  let text = prefix;
  while (text.length < prefix.length + length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte, so that every character is equally likely.
      if (byte < 248 && text.length < prefix.length + length) text += alphabet[byte % 62];
    }
  }
  return text;
}
