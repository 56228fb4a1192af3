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
