import type { AnswerBrief, AnswerWriter } from "@product-search/core/ports/answer-writer.ts";

/** A model that returns a given sentence, and returns it again when asked for another. */
export function createLyingWriter(lie: (brief: AnswerBrief) => string): AnswerWriter {
  return {
    plan: async () => undefined,
    async *write(brief) {
      yield "{p1.name} fits best.";
      yield lie(brief);
    },
    repair: async (brief) => lie(brief),
  };
}
