import { expect, it } from "vitest";
import { fromBase64 } from "../src/polyfills.ts";

const texts = [
  "",
  "aGVsbG8=",
  "aGVsbG8",
  "aGV sbG8=",
  "aGVs bG8\n",
  "a",
  "aGVsbG8==",
  "aGVsbG8=x",
  "+/+/",
  "-_-_",
  "%%%",
  "=",
];

it.each(texts.flatMap((text) => [[text, "base64"] as const, [text, "base64url"] as const]))(
  "reads %j in %s as the built-in function does",
  (text, alphabet) => {
    const outcome = (read: typeof fromBase64) => {
      try {
        return [...read(text, { alphabet })];
      } catch (error) {
        return error instanceof SyntaxError ? "refused" : error;
      }
    };
    expect(outcome(fromBase64)).toEqual(outcome((...given) => Uint8Array.fromBase64(...given)));
  },
);
