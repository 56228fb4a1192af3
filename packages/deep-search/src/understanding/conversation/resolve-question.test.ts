import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { expect, it } from "vitest";
import { resolveQuestion } from "./resolve-question.ts";

it("makes few searches, of few words, for a question as long as a request may be", async () => {
  const texts: string[] = [];
  const textSearch: Pick<TextSearch, "search" | "wordFrequency"> = {
    search: async ({ text }) => {
      texts.push(text ?? "");
      return { rowIds: [], total: 0, sourceHas: "nothing", droppedWords: [] };
    },
    wordFrequency: async () => 1,
  };
  const deps = { textSearch: textSearch as TextSearch, catalogStore: { findByRowIds: async () => [] } };
  const question = { subject: "cheaper ".repeat(250), topic: undefined, isCertain: true, isPronoun: false };
  await resolveQuestion(deps, question, new AbortController().signal);
  expect(texts.length).toBeLessThanOrEqual(20);
  expect(Math.max(...texts.map((text) => text.split(" ").length))).toBeLessThanOrEqual(20);
});
