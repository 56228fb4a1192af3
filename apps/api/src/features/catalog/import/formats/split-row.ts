/**
 * The values of one row, at most `limit` of them. A value that begins with a quote ends at the next unpaired quote; two
 * quotes inside it are one (RFC 4180). In tab-separated tables, an unpaired quote is part of the value, as in `27" monitor`.
 */
export function splitRow(row: string, delimiter: string, limit: number): string[] {
  if (!row.includes('"')) return row.split(delimiter, limit);
  const values: string[] = [];
  let at = 0;
  while (values.length < limit) {
    const quotedEnd = row[at] === '"' ? endOfQuoted(row, at, delimiter) : -1;
    if (quotedEnd >= 0) {
      values.push(row.slice(at + 1, quotedEnd).replaceAll('""', '"'));
      at = quotedEnd + 1;
    } else {
      const next = row.indexOf(delimiter, at);
      const end = next < 0 ? row.length : next;
      values.push(row.slice(at, end));
      at = end;
    }
    if (at >= row.length) return values;
    at += 1;
    if (at === row.length) return [...values, ""];
  }
  return values;
}

/** Whether the row ends inside a quoted value, which continues in the next line. */
export function endsInsideQuotes(row: string, delimiter: string): boolean {
  if (!row.includes('"')) return false;
  let at = 0;
  while (at < row.length) {
    if (row[at] === '"') {
      const end = endOfQuoted(row, at, delimiter);
      if (end < 0) return true;
      at = end + 2;
    } else {
      const next = row.indexOf(delimiter, at);
      if (next < 0) return false;
      at = next + 1;
    }
  }
  return false;
}

/** The position of the closing quote; -1 if the value is not a quoted one after all. */
function endOfQuoted(row: string, start: number, delimiter: string): number {
  for (let at = row.indexOf('"', start + 1); at >= 0; at = row.indexOf('"', at + 1)) {
    if (row[at + 1] === '"') {
      at += 1;
      continue;
    }
    return at + 1 === row.length || row[at + 1] === delimiter ? at : -1;
  }
  return -1;
}
