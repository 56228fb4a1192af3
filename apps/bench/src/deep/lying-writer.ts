import type { AnswerBrief, AnswerWriter } from "@product-search/api/ports/answer-writer.ts";

/** A model that says what it is told to, and says it again when asked for something else. */
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
