/** What `closingQuote` gives if the value has none in this text. */
export const unclosed = -1;
/** The value has a quote that neither ends it nor is doubled. */
const stray = -2;

/**
 * The position of the quote that closes a value whose text goes on at `from`; `unclosed` if there is none; for a stray quote
 * a number below that, from which `stray` minus the number is its position. It never looks beyond the first quote that is not doubled, so that reading a row takes linear time.
 */
export function closingQuote(text: string, from: number, delimiter: string): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) {
    const next = text[at + 1];
    if (next === '"') continue;
    return next === undefined || next === delimiter ? at : stray - at;
  }
  return unclosed;
}

/** Two quotes inside a quoted value are one (RFC 4180). */
export function unquoted(text: string): string {
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
export function splitLine(
  line: string,
  from: number,
  delimiter: string,
  values: string[],
  limit: number,
): number {
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
