import type { ColumnMap, SavedColumnMap } from "@product-search/core/ports/imports.ts";
import { isMerchantField } from "../rows/merchant-row.ts";
import { shopifyExport } from "../shops/shopify.ts";
import { hasWooCommerceTypes, wooCommerceExport } from "../shops/woocommerce.ts";
import { attributeColumnsOf, createMappedReader, explainColumns, fitsColumns } from "./column-map.ts";
import {
  type FaultyRecord,
  FeedError,
  type FeedKind,
  type FeedParser,
  type FeedRow,
  hasInvalidBytes,
  maxColumns,
  maxRowLength,
  type TableLayout,
  type TableReader,
  type UnusedColumns,
} from "./feed-row.ts";
import { googleNamesOf, kindOfHeader, merchantName, toRecord } from "./merchant-names.ts";

/** What `closingQuote` gives if the value has none in this text. */
const unclosed = -1;

/** The value has a quote that neither ends it nor is doubled. */
const stray = -2;

/** A quote that is open for longer than this, or than the longest row, was never meant to open a value. */
const maxLinesPerRow = 100_000;

/** The number of rows whose values help to guess what the columns are. */
const maxFirstRows = 5;

export type Delimiter = "\t" | "," | ";";

/** A row whose last value so far is quoted and goes on in the next line. */
interface OpenRow {
  line: number;
  /** Its lines as written. They are read again one by one if the quote turns out not to open a value. */
  lines: string[];
  length: number;
  values: string[];
  /** The lines of the open value. */
  parts: string[];
}

/**
 * A table whose first row has the column names. Only in CSV may a quoted value continue over several lines, and each quote
 * inside such a value must be doubled. If one is not, or none closes the value, then the line in which it opens is refused
 * alone, and the lines after it are rows of their own. No line is read more than three times, whatever quotes it has.
 */
export function createTableParser(delimiter: Delimiter, options: TableOptions = {}): FeedParser {
  let columns: Columns | undefined;
  let rest = "";
  let line = 1;
  let skipping = false;
  let open: OpenRow | undefined;

  /** A first row that cannot be read, and some rows below it: their values help to guess what the columns are. */
  let unreadHeader: string[] | undefined;
  const firstRows: (readonly string[])[] = [];
  const refuseHeader = (header: readonly string[]): never => {
    const names = googleNamesOf(header.map(merchantName));
    if (hasWooCommerceTypes(firstRows)) throw new FeedError(translatedExport);
    throw new FeedError(`The table cannot be read. ${explainColumns({ columns: header, names }, firstRows)}`);
  };

  const refused = (reason: string, at: number, values: readonly string[] = []): FeedRow => ({
    line: at,
    fault: { reason },
    ...(columns && { record: recordOf(columns, values) }),
  });
  const tooLong = (at: number) => refused(`The row is longer than ${maxRowLength} characters.`, at);

  function takeLine(text: string): FeedRow[] {
    return open === undefined ? startRow(text, line) : continueRow(open, text);
  }

  /** With `mayGoOn`, a quoted value may continue in the next line. */
  function startRow(text: string, at: number, mayGoOn = true): FeedRow[] {
    if (text.length > maxRowLength && columns !== undefined) return [tooLong(at)];
    if (!text.includes('"')) return takeRow(text.split(delimiter, maxColumns + 1), at, at, text);
    const values: string[] = [];
    const opensAt = splitLine(text, 0, delimiter, values, maxColumns + 1);
    if (opensAt === unclosed) return takeRow(values, at, at, text);
    if (!mayGoOn) return [refused(neverClosed, at, values)];
    open = { line: at, lines: [text], length: text.length, values, parts: [text.slice(opensAt + 1)] };
    return [];
  }

  function continueRow(row: OpenRow, text: string): FeedRow[] {
    row.length += text.length + 1;
    if (row.length > maxRowLength || row.lines.length >= maxLinesPerRow)
      return [...abandon(row), ...startRow(text, line)];
    const closing = closingQuote(text, 0, delimiter);
    if (closing < unclosed) return [...abandon(row), ...startRow(text, line)];
    row.lines.push(text);
    if (closing === unclosed) {
      row.parts.push(text);
      return [];
    }
    row.parts.push(text.slice(0, closing));
    row.values.push(unquoted(row.parts.join("\n")));
    row.parts = [];
    if (closing + 1 < text.length) {
      const opensAt = splitLine(text, closing + 2, delimiter, row.values, maxColumns + 1);
      if (opensAt !== unclosed) {
        row.parts.push(text.slice(opensAt + 1));
        return [];
      }
    }
    open = undefined;
    return takeRow(row.values, row.line, line, row.lines.join("\n"));
  }

  /** Refuses the first line of an open row. The others are rows, each of one line so that the work stays linear. */
  function abandon(row: OpenRow): FeedRow[] {
    open = undefined;
    if (unreadHeader !== undefined) refuseHeader(unreadHeader);
    if (columns === undefined) throw new FeedError("The quote that opens in the first row is never closed.");
    const [, ...others] = row.lines;
    const rows = others.flatMap((text, at) => startRow(text, row.line + 1 + at, false));
    return [refused(neverClosed, row.line, row.values), ...rows];
  }

  function takeRow(values: readonly string[], at: number, lastLine: number, text: string): FeedRow[] {
    if (unreadHeader !== undefined) {
      firstRows.push(values);
      if (firstRows.length >= maxFirstRows) refuseHeader(unreadHeader);
      return [];
    }
    if (columns === undefined) {
      const header = values.map((value) => value.trim());
      columns = readHeader(header, options);
      if (columns === undefined) unreadHeader = header;
      return [];
    }
    if (text.trim() === "") return [];
    const { names, kind, reader, unused } = columns;
    unused.count(values);
    if (hasInvalidBytes(text))
      return [refused("The row holds bytes that are not text in the encoding of the feed.", at, values)];
    if (values.length === names.length && reader !== undefined) return reader.push(at, values);
    // "ID" and "Name" are also Google's names.
    if (reader === undefined && !names.includes("price") && hasWooCommerceTypes([values]))
      throw new FeedError(translatedExport);
    if (values.length === names.length)
      return [{ line: at, merchant: toRecord(columns.names, values), kind }];
    const found = values.length > maxColumns ? `more than ${maxColumns}` : values.length;
    const extent = lastLine > at ? ` It ends in line ${lastLine}.` : "";
    return [
      refused(
        `The row has ${found} values where the first row names ${names.length} columns.${extent}`,
        at,
        values,
      ),
    ];
  }

  return {
    push(text) {
      const rows: FeedRow[] = [];
      let from = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
        const ending = text[end - 1] === "\r" ? end - 1 : end;
        const taken = skipping
          ? [tooLong(line)]
          : takeLine(withoutReturn(rest + text.slice(from, Math.max(from, ending))));
        for (const row of taken) rows.push(row);
        rest = "";
        skipping = false;
        from = end + 1;
        line += 1;
      }
      if (!skipping) rest += text.slice(from);
      if (rest.length > maxRowLength) {
        if (columns === undefined)
          throw new FeedError(`The first row is longer than ${maxRowLength} characters.`);
        if (open !== undefined) for (const row of abandon(open)) rows.push(row);
        rest = "";
        skipping = true;
      }
      return rows;
    },
    end() {
      if (skipping) throw new FeedError(`The feed ends early in line ${line}.`);
      const unfinished = rest !== "";
      const rows = unfinished ? takeLine(withoutReturn(rest)) : [];
      if (unreadHeader !== undefined) refuseHeader(unreadHeader);
      const last = open === undefined ? rows.at(-1) : endOpenRow(open);
      if (unfinished && last !== undefined && "fault" in last && last.fault.field === undefined) {
        throw new FeedError(`The feed ends early in line ${line}: ${last.fault.reason}`);
      }
      if (columns === undefined) throw new FeedError("The feed is empty.");
      return [...rows, ...(columns.reader?.end() ?? [])];

      /** A feed that was cut inside a quoted value ends with a part of that; a complete feed ends with a complete row. */
      function endOpenRow(row: OpenRow): FeedRow | undefined {
        rows.push(...abandon(row));
        const lastRow = rows.at(-1);
        if (lastRow === undefined || "fault" in lastRow)
          throw new FeedError(
            `The feed breaks off: the quote that opens in the row of line ${row.line} is never closed.`,
          );
        return lastRow;
      }
    },
  };
}

const neverClosed =
  "The quote that opens a value is not closed, or a quote inside a value of several lines is not doubled.";

function withoutReturn(text: string): string {
  return text.endsWith("\r") ? text.slice(0, -1) : text;
}

function recordOf({ names, reader }: Columns, values: readonly string[]): FaultyRecord {
  return reader === undefined ? { merchant: toRecord(names, values) } : { own: { id: reader.keyOf(values) } };
}

interface Columns {
  names: readonly string[];
  kind: FeedKind;
  /** For other columns than Google's. */
  reader?: TableReader;
  unused: UnusedColumns & { count(values: readonly string[]): void };
}

export interface TableOptions {
  /** How to read tables with other columns; the first one whose columns the table has is used. */
  maps?: readonly SavedColumnMap[];
  /** The table must have the columns of the first map. */
  isMapRequired?: boolean;
  /** Called once, with the first row. */
  onTable?(layout: TableLayout): void;
}

/** A map without any has only the address of a shop. */
function hasColumnsIn({ fields, attributes }: ColumnMap): boolean {
  return Object.keys(fields).length + attributes.length > 0;
}

const translatedExport =
  "This looks like WooCommerce's product export with translated column names. In WordPress, set the language of your own profile to English and export again, or name the columns with --map.";

/** Undefined if the columns are not those of a feed. */
function readHeader(
  columns: readonly string[],
  { maps = [], isMapRequired, onTable }: TableOptions,
): Columns | undefined {
  if (columns.length > maxColumns) throw new FeedError(`The feed has more than ${maxColumns} columns.`);
  const names = googleNamesOf(columns.map(merchantName));
  const shop = [shopifyExport, wooCommerceExport].find(({ isHeader }) => isHeader(names));
  const number = isMapRequired
    ? 0
    : maps.findIndex((one) => (shop !== undefined || hasColumnsIn(one)) && fitsColumns(one, columns));
  const map = maps[number];
  const mapNumber = map && { mapNumber: number };
  const hasColumns = map !== undefined && hasColumnsIn(map);
  // A shop's export is read as one unless fields are mapped; columns for attributes are then read beside its own.
  if (shop !== undefined && (map === undefined || Object.keys(map.fields).length === 0)) {
    const attributes = attributeColumnsOf(map?.attributes ?? [], columns);
    const reader = shop.createReader(columns, names, attributes);
    const unused = unusedIn(columns, (at) => reader.reads(at) || attributes.includes(columns[at] ?? ""));
    onTable?.({ name: shop.name, columns, names, unused, ...mapNumber });
    return { names, kind: "products", reader, unused };
  }
  if (hasColumns) {
    const reader = createMappedReader(map, columns, names);
    const unused = unusedIn(columns, reader.reads);
    const name = "a table with mapped columns";
    onTable?.({ name, columns, names, unused, ...mapNumber });
    return { names, kind: "products", reader, unused };
  }
  const kind = kindOfHeader(names);
  if (kind === undefined) return undefined;
  const unused = unusedIn(columns, (at) => kind === "inventory" || isMerchantField(names[at] ?? ""));
  onTable?.({ name: "a table with Google's columns", columns, names, unused });
  return { names, kind, unused };
}

function unusedIn(columns: readonly string[], reads: (at: number) => boolean): Columns["unused"] {
  const counted = columns.flatMap((column, at) =>
    column === "" || reads(at) ? [] : [{ column, at, filled: 0 }],
  );
  return {
    rows: 0,
    columns: counted,
    count(values) {
      this.rows += 1;
      for (const one of counted) if ((values[one.at] ?? "").trim() !== "") one.filled += 1;
    },
  };
}

/**
 * The position of the quote that closes a value whose text goes on at `from`; `unclosed` if there is none; for a stray quote
 * a number below that, from which `stray` minus the number is its position. It never looks beyond the first quote that is not doubled, so that reading a row takes linear time.
 */
function closingQuote(text: string, from: number, delimiter: string): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    const next = text[at + 1];
    if (next === '"') continue;
    return next === undefined || next === delimiter ? at : stray - at;
  }
  return unclosed;
}

/** Two quotes inside a quoted value are one (RFC 4180). */
function unquoted(text: string): string {
  return text.replaceAll('""', '"');
}

/**
 * Adds the values of a line from `from` on to `values`, until there are `limit`. Returns the position of a quote that
 * opens a value and is not closed in this line, else `unclosed`.
 *
 * A stray quote is part of the value, as in `27" monitor`. `"27" monitor"` is read as csv-parse reads it with relaxed quotes:
 * the value ends at the next delimiter and keeps its quotes. A table separated by tabs has no values of several lines: there, a
 * quote that no other one closes is part of its value as well.
 */
function splitLine(line: string, from: number, delimiter: string, values: string[], limit: number): number {
  let at = from;
  while (values.length < limit) {
    let end: number;
    const closing = line[at] === '"' ? closingQuote(line, at + 1, delimiter) : undefined;
    if (closing === undefined || (delimiter === "\t" && closing < 0)) {
      end = endOfValue(line, at, delimiter);
      values.push(line.slice(at, end));
    } else if (closing >= 0) {
      end = closing + 1;
      values.push(unquoted(line.slice(at + 1, closing)));
    } else if (closing === unclosed) {
      return at;
    } else {
      const strayAt = stray - closing;
      end = endOfValue(line, strayAt, delimiter);
      values.push(`"${unquoted(line.slice(at + 1, strayAt))}${line.slice(strayAt, end)}`);
    }
    if (end >= line.length) break;
    at = end + 1;
  }
  return unclosed;
}

function endOfValue(line: string, from: number, delimiter: string): number {
  const next = line.indexOf(delimiter, from);
  return next < 0 ? line.length : next;
}
