import { FeedError, type FeedParser, type FeedRow, maxRowLength } from "./feed-row.ts";

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
    return text.trim() === "" ? [] : [parseLine(text, line)];
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

function parseLine(text: string, line: number): FeedRow {
  if (text.includes("\ufffd")) return { line, fault: { reason: "The line holds bytes that are not UTF-8." } };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { line, fault: { reason: "The line is not valid JSON." } };
  }
  if (!isRecord(value)) return { line, fault: { reason: "The line holds no JSON object." } };
  return { line, own: value };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
