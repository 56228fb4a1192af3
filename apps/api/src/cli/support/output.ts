import type { WriteStream } from "node:tty";

const redrawMs = 200;
/** In logs, where a line cannot be redrawn, one line per interval is enough. */
const logMs = 5000;
/** A shorter time is not enough to compute a rate. */
const ratedMs = 200;

export interface ProgressLine {
  show(text: () => string): void;
  /** Keeps the last line. */
  end(): void;
}

/** Prints progress to standard error, because standard output is for the result. */
export function createProgressLine(stream: WriteStream = process.stderr): ProgressLine {
  let shownAt = Number.NEGATIVE_INFINITY;
  let drawn = false;
  return {
    show(text) {
      const now = performance.now();
      if (now - shownAt < (stream.isTTY ? redrawMs : logMs)) return;
      shownAt = now;
      if (!stream.isTTY) return void stream.write(`${text()}\n`);
      stream.write(`\r\x1b[K${text()}`);
      drawn = true;
    },
    end() {
      if (drawn) stream.write("\n");
      drawn = false;
    },
  };
}

/** `12 400 of 50 000, 8 200/s, 5 s left`; shorter without a total, or at the start. */
export function progressText(done: number, total: number | undefined, elapsedMs: number, unit = ""): string {
  const perSecond = done / Math.max(elapsedMs / 1000, 0.001);
  const amount = (total === undefined ? count(done) : `${count(done)} of ${count(total)}`) + unit;
  if (done === 0 || elapsedMs < ratedMs) return amount;
  const left = total === undefined ? [] : [`${duration((total - done) / perSecond)} left`];
  return [amount, `${count(Math.round(perSecond))}${unit}/s`, ...left].join(", ");
}

export function count(value: number): string {
  return value.toLocaleString("en").replaceAll(",", " ");
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.ceil(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export interface Column<Row> {
  title: string;
  value: (row: Row) => string | number | undefined;
  /** For identifiers, which people copy: never broken over lines. */
  isWhole?: boolean;
}

/** Of text that is printed to a file or a pipe, and the narrowest usual terminal. */
const usualWidth = 80;
const narrowest = 8;
const gap = 2;

/** Rows in columns, at most as wide as the terminal: long values continue in the next line. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  width = process.stdout.columns ?? usualWidth,
): string {
  const cells = rows.map((row) => columns.map(({ value }) => printable(String(value(row) ?? "–"))));
  const all = [columns.map(({ title }) => title), ...cells];
  const widths = fitWidths(columns, all, width);
  const lines = all.flatMap((row) => linesOf(row, widths, columns));
  return lines.join("\n");
}

/** A text as lines that fit the terminal, all but the first one indented. */
export function wrapText(text: string, width = process.stdout.columns ?? usualWidth): string {
  return breakText(printable(text), width - gap).join(`\n${" ".repeat(gap)}`);
}

/** Values from outside must not move the cursor or change colours. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}

/** Starts from the longest values, and takes from the widest column until all fit. */
function fitWidths(columns: readonly Column<never>[], all: readonly string[][], width: number): number[] {
  const widths = columns.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const total = () => widths.reduce((sum, each) => sum + each, 0) + gap * (widths.length - 1);
  while (total() > width) {
    const breakable = widths.map((each, column) => (columns[column]?.isWhole ? 0 : each));
    const widest = Math.max(...breakable);
    if (widest <= narrowest) break;
    widths[breakable.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function linesOf(row: readonly string[], widths: readonly number[], columns: readonly Column<never>[]) {
  const parts = row.map((text, column) =>
    columns[column]?.isWhole ? [text] : breakText(text, widths[column] ?? narrowest),
  );
  const height = Math.max(...parts.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    parts
      .map((lines, column) => (lines[line] ?? "").padEnd(widths[column] ?? 0))
      .join(" ".repeat(gap))
      .trimEnd(),
  );
}

/** Between words where possible. */
function breakText(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const space = rest.lastIndexOf(" ", width);
    const end = space > 0 ? space : width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest];
}

/** `2026-11-24 20:15`: short enough for a column. */
export function shortTime(time: string | null | undefined): string | undefined {
  return time?.slice(0, 16).replace("T", " ");
}
