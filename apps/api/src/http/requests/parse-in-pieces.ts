import { ApiError } from "@product-search/core/errors.ts";
import { giveWay } from "@product-search/core/mechanisms/fair-queue.ts";

/** A smaller body is parsed at once. Many bodies may be complete in one turn of the event loop. */
export const parsedAtOnceBytes = 4 * 1024;

/** So many bytes are looked at before others have their turn: less than a millisecond. */
const stepBytes = 128 * 1024;

/** So many values may an object of the list have, and so many may be around all of them: each is parsed in one piece. */
const maxValues = 20_000;

/** In the place of an object with more values: whoever reads the list refuses what is no object. */
const notParsed: readonly unknown[] = [];

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Parses a large body in pieces, so that nobody waits for the whole of it: each object of a list in the body's object by
 * itself, and what is around them with short objects in their places. The body is valid if all of these are. (Another thread
 * would be no help: to receive a copy of what it has parsed takes three to seven times as long as to parse it here.)
 */
export async function parseInPieces(body: Buffer, parse: (text: string) => unknown): Promise<unknown> {
  const values: unknown[] = [];
  let around = "";
  let aroundFrom = 0;
  let objectFrom = -1;
  let depth = 0;
  let valuesAround = 0;
  let valuesInObject = 0;
  let isText = false;
  let isInObject = false;
  let isInList = false;
  for (let at = 0, end = stepBytes; at < body.length; end = at + stepBytes) {
    for (; at < end && at < body.length; at++) {
      const byte = body[at];
      if (isText) {
        if (byte === backslash) at += 1;
        else if (byte === quote) isText = false;
      } else if (byte === quote) isText = true;
      else if (byte === comma || byte === openBrace || byte === openBracket) {
        if (objectFrom >= 0) valuesInObject += 1;
        else if (++valuesAround > maxValues) throw tooManyValues();
        if (byte === comma) continue;
        if (depth === 0) isInObject = byte === openBrace;
        else if (depth === 1) isInList = isInObject && byte === openBracket;
        else if (depth === 2 && isInList && byte === openBrace) {
          objectFrom = at;
          valuesInObject = 0;
        }
        depth += 1;
      } else if (byte === closeBrace || byte === closeBracket) {
        depth -= 1;
        if (depth !== 2 || objectFrom < 0) continue;
        around += `${body.toString("utf8", aroundFrom, objectFrom)}{"at":${values.length}}`;
        const isTooLarge = valuesInObject > maxValues;
        values.push(isTooLarge ? notParsed : parse(body.toString("utf8", objectFrom, at + 1)));
        aroundFrom = at + 1;
        objectFrom = -1;
      }
    }
    await giveWay();
  }
  around += body.toString("utf8", aroundFrom);
  const parsed = parse(around);
  if (!isInObject) return parsed;
  const record: Record<string, unknown> = Object(parsed);
  for (const [name, list] of Object.entries(record)) {
    if (Array.isArray(list)) record[name] = list.map((one) => (isPlace(one) ? values[one.at] : one));
  }
  return parsed;
}

const tooManyValues = () =>
  new ApiError(
    "invalid_request",
    `body: has more than ${maxValues} values besides those of the objects in its list. Send fewer.`,
  );

function isPlace(value: unknown): value is { at: number } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
