import { FeedError, type FeedParser, type FeedRow, maxRowLength } from "./feed-row.ts";
import { parseObject } from "./json-lines-parser.ts";

const outsideStrings = /["{}[\],\n]/g;
const insideStrings = /["\\\n]/g;

/**
 * One JSON array of objects, with any white space. It is never parsed as a whole: each object is parsed when its end is
 * reached, and only one is kept in memory.
 */
export function createJsonArrayParser(): FeedParser {
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
