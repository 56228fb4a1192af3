/** A text that is rewritten step by step. Each of its characters knows the piece of the source that it stands for. */
export interface TracedText {
  readonly text: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** `text` is the source, or the source in another case: both have the same length. */
export function traceText(text: string): TracedText {
  const starts = Array.from({ length: text.length }, (_, index) => index);
  return { text, starts, ends: starts.map((start) => start + 1) };
}

/** Replaces what the global pattern matches. A match for which `replace` returns undefined stays. */
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
