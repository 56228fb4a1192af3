import { abortable } from "@product-search/core/mechanisms/retry.ts";
import {
  type AnswerBrief,
  type AnswerWriter,
  maxSentences,
} from "@product-search/core/ports/answer-writer.ts";
import type { CheckSentence } from "./grounding/check-sentence.ts";

/** Why the answer of a model was not used. */
export type Failure = "deadline" | "busy" | "failed" | "ungrounded" | "empty";

export class UngroundedError extends Error {
  override readonly name = "UngroundedError";
}
export class EmptyAnswerError extends Error {
  override readonly name = "EmptyAnswerError";
}

/**
 * The sentences of an untrusted writer, each checked before it is returned. One refused sentence may be replaced; a second
 * one ends the answer with an error.
 */
export async function* writeChecked(
  writer: AnswerWriter,
  brief: AnswerBrief,
  check: CheckSentence,
  signal: AbortSignal,
): AsyncGenerator<string> {
  let repairs = 1;
  let named = 0;
  let count = 0;
  for await (const written of abortableItems(writer.write(brief, signal), signal)) {
    let sentence = written.trim();
    const fault = await check(sentence);
    if (fault !== undefined) {
      if (repairs === 0) throw new UngroundedError(fault);
      repairs -= 1;
      sentence = (await abortable(writer.repair(brief, { sentence, fault }, signal), signal)).trim();
      const remaining = await check(sentence);
      if (remaining !== undefined) throw new UngroundedError(remaining);
    }
    if (/\{p\d+\.name\}/u.test(sentence)) named += 1;
    yield sentence;
    count += 1;
    if (count === maxSentences) break;
  }
  if (named === 0) throw new EmptyAnswerError("The answer names no product.");
}

/** The items of an iterable, until the signal aborts. */
async function* abortableItems<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await abortable(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: if the iterator hangs, its return hangs too.
    iterator.return?.().catch(() => undefined);
  }
}
