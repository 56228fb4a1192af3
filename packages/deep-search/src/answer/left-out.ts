import type { AnswerBrief } from "@product-search/core/ports/answer-writer.ts";
import type { LeftOut } from "../reading.ts";
import { comparable } from "../understanding/same-word.ts";
import type { AsWritten } from "./as-written.ts";

const maxNamed = 4;

/** What of a question was left out, in the user's words as far as they may be repeated; undefined if nothing was. */
export function leftOutOf(
  { from, things }: LeftOut,
  request: string,
  asWritten: AsWritten,
): AnswerBrief["leftOut"] {
  if (from === undefined && things.length === 0) return undefined;
  const first = from === undefined || isRepeated(from, request) ? undefined : asWritten([from]);
  const named = things.flatMap((words) => asWritten(words) ?? []).slice(0, maxNamed);
  return { ...(first !== undefined && { from: first }), things: [...new Set(named)] };
}

/** "Everything from the mug on" says nothing if there are several mugs. */
function isRepeated(word: string, request: string): boolean {
  const words = comparable(request).split(" ");
  return words.filter((other) => other === comparable(word)).length > 1;
}
