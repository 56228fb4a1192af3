import { FeedError, type FeedParser, type FeedRow, hasInvalidBytes, maxRowLength } from "./feed-row.ts";

/** Native rows: one JSON object per line. */
export function createJsonLinesParser(): FeedParser {
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
export function parseObject(text: string, line: number, place: string): FeedRow {
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
