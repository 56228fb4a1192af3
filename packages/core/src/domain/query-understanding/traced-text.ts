/**
 * A text that is rewritten step by step. For each of its characters it knows the part of the source that it comes
 * from.
 */
export interface TracedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** `text` is the source, or the source in another letter case of the same length. */
export function traceText(text: string): TracedText {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((start) => start + 1) };
}

/** Replaces the matches of the global pattern. If `replace` returns undefined, the match stays. */
export function rewrite(
  traced: TracedText,
  pattern: RegExp,
  replace: (match: RegExpExecArray) => string | undefined,
): TracedText {
  const pieces: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let read = 0;
  const copyUntil = (end: number): void => {
    pieces.push(traced.text.slice(read, end));
    for (let index = read; index < end; index++) {
      starts.push(traced.starts[index] ?? 0);
      ends.push(traced.ends[index] ?? 0);
    }
  };
  for (const match of traced.text.matchAll(pattern)) {
    const replacement = replace(match);
    if (replacement === undefined) continue;
    copyUntil(match.index);
    read = match.index + match[0].length;
    pieces.push(replacement);
    for (let index = 0; index < replacement.length; index++) {
      starts.push(traced.starts[match.index] ?? 0);
      ends.push(traced.ends[read - 1] ?? 0);
    }
  }
  if (pieces.length === 0) return traced;
  copyUntil(traced.text.length);
  return { text: pieces.join(""), starts, ends };
}
