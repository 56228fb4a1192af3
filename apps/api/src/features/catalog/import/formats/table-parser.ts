import {
  FeedError,
  type FeedKind,
  type FeedParser,
  type FeedRow,
  maxColumns,
  maxRowLength,
} from "./feed-row.ts";
import { kindOfHeader, merchantName } from "./merchant-names.ts";
import { endsInsideQuotes, splitRow } from "./split-row.ts";

/** Maximum length of a quoted value: a longer one is probably a missing quote. */
const maxLinesPerRow = 1000;

export type Delimiter = "\t" | "," | ";";

/** A table whose first row has the column names. Only in CSV may a quoted value continue over several lines. */
export function createTableParser(delimiter: Delimiter): FeedParser {
  let columns: Columns | undefined;
  let rest = "";
  let line = 1;
  let rowStartsAt = 1;
  let skipping = false;
  /** The lines so far of a row with an open quoted value. */
  let pending: string[] = [];

  const tooLong = (): FeedRow => ({
    line: rowStartsAt,
    fault: { reason: `The row is longer than ${maxRowLength} characters.` },
  });

  function takeLine(text: string): FeedRow[] {
    const goesOn = pending.length > 0;
    pending.push(text);
    // A line without a quote cannot close the value, so the row need not be checked again.
    if (goesOn && !text.includes('"')) return checkOpen();
    const row = pending.length === 1 ? text : pending.join("\n");
    if (delimiter !== "\t" && endsInsideQuotes(row, delimiter)) return checkOpen();
    pending = [];
    return takeRow(row);
  }

  function checkOpen(): FeedRow[] {
    if (pending.length > maxLinesPerRow) throw neverClosed();
    return [];
  }

  const neverClosed = () =>
    new FeedError(
      `The feed breaks off: the quote that opens in the row of line ${rowStartsAt} is never closed.`,
    );

  function takeRow(text: string): FeedRow[] {
    if (text.length > maxRowLength && columns !== undefined) return [tooLong()];
    const values = splitRow(text, delimiter, maxColumns + 1);
    if (columns === undefined) {
      columns = readHeader(values);
      return [];
    }
    if (text.trim() === "") return [];
    return [toRow(columns, values, rowStartsAt, text)];
  }

  return {
    push(text) {
      const rows: FeedRow[] = [];
      let from = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
        const ending = text[end - 1] === "\r" ? end - 1 : end;
        if (skipping) rows.push(tooLong());
        else rows.push(...takeLine(withoutReturn(rest + text.slice(from, Math.max(from, ending)))));
        rest = "";
        skipping = false;
        from = end + 1;
        line += 1;
        if (pending.length === 0) rowStartsAt = line;
      }
      if (!skipping) rest += text.slice(from);
      if (rest.length > maxRowLength) {
        if (columns === undefined)
          throw new FeedError(`The first row is longer than ${maxRowLength} characters.`);
        rest = "";
        pending = [];
        skipping = true;
      }
      return rows;
    },
    end() {
      if (skipping) throw new FeedError(`The feed ends early in line ${line}.`);
      const unfinished = rest !== "";
      const rows = unfinished ? takeLine(withoutReturn(rest)) : [];
      if (pending.length > 0) throw neverClosed();
      const [last] = rows;
      if (unfinished && last !== undefined && "fault" in last && last.fault.field === undefined) {
        throw new FeedError(`The feed ends early in line ${line}: ${last.fault.reason}`);
      }
      if (columns === undefined) throw new FeedError("The feed is empty.");
      return rows;
    },
  };
}

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

interface Columns {
  names: readonly string[];
  kind: FeedKind;
}

function readHeader(values: readonly string[]): Columns {
  if (values.length > maxColumns) throw new FeedError(`The feed has more than ${maxColumns} columns.`);
  const names = values.map(merchantName);
  const kind = kindOfHeader(names);
  if (kind === undefined) {
    throw new FeedError(
      'The first row must name the columns, "id" and "title" among them, or "id" and "price" or "availability" for an inventory feed.',
    );
  }
  return { names, kind };
}

function toRow({ names, kind }: Columns, values: readonly string[], line: number, text: string): FeedRow {
  if (text.includes("\ufffd"))
    return { line, fault: { reason: "The row holds bytes that are not text in the encoding of the feed." } };
  if (values.length !== names.length) {
    const found = values.length > maxColumns ? `more than ${maxColumns}` : values.length;
    return {
      line,
      fault: { reason: `The row has ${found} values where the first row names ${names.length} columns.` },
    };
  }
  const merchant = new Map<string, string[]>();
  for (const [at, name] of names.entries()) {
    const value = values[at]?.trim() ?? "";
    if (value === "") continue;
    const known = merchant.get(name);
    if (known) known.push(value);
    else merchant.set(name, [value]);
  }
  return { line, merchant, kind };
}
