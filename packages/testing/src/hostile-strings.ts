/** Text that clients should never send, and some that they may. Everything is one string input of the API. */
export const hostileStrings: readonly string[] = [
  "\u0000",
  "a\u0000b",
  "wh_\u0000",
  "\u0001\u001f\u007f\u0085",
  "a\r\nx-injected: 1",
  "\t",
  "\u2028\u2029",
  "\u202e\u200b\ufeff",
  "\ud800",
  "a\udfffb",
  "\udc00\ud800",
  "\ufffd\uffff\ufdd0",
  "😀",
  "👩‍👩‍👧‍👦",
  "e\u0301".repeat(300),
  "' or 1=1 --",
  "'; drop table webhooks; --",
  "%' and pg_sleep(1) --",
  "\\",
  '"',
  "$1 ? :name @p",
  "%00",
  "../../../etc/passwd",
  "..\\..\\windows",
  "<script>alert(1)</script>",
  "__proto__",
  "constructor",
  "null",
  "NaN",
  "-0",
  "1e309",
  "9".repeat(400),
  "[1,2]",
  "[9999999999999999999,1]",
  "2026-02-30",
  "+275760-09-13T00:00:00.001Z",
  "YWZ0ZXIgOTk5OTk5OTk5OTk5OTk5OSBmZmZm",
  "x".repeat(1900),
  "x".repeat(20_000),
  "mug ".repeat(5000),
  " ".repeat(3000),
  ",".repeat(1000),
  "\\,".repeat(500),
  "http://\u0000.example/",
  "https://shop.example/\u0000",
  "https://[::1%25eth0]/",
];

/** The same numbers for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const alphabets: readonly [from: number, to: number][] = [
  [0x00, 0x1f],
  [0x20, 0x7e],
  [0x7f, 0xff],
  [0x300, 0x36f],
  [0x4e00, 0x4eff],
  [0xd800, 0xdfff],
  [0xfff0, 0xffff],
];

/** A string of up to 60 UTF-16 units, well-formed or not. */
export function randomString(random: () => number): string {
  const length = Math.floor(random() * 60);
  return Array.from({ length }, () => {
    const [from, to] = alphabets[Math.floor(random() * alphabets.length)] ?? [0, 0];
    return String.fromCharCode(from + Math.floor(random() * (to - from + 1)));
  }).join("");
}

/** Percent-encoded like `encodeURIComponent`, but lone surrogates too, as their (invalid) bytes. */
export function percentEncoded(text: string): string {
  return Array.from(text, (character) => {
    if (character.isWellFormed()) return encodeURIComponent(character);
    const unit = character.charCodeAt(0);
    const bytes = [0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)];
    return bytes.map((byte) => `%${byte.toString(16)}`).join("");
  }).join("");
}
