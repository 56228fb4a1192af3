import type { AnswerBrief, AnswerOutcome } from "../../ports/answer-writer.ts";
import type { Choose } from "./wording.ts";

const invitation = (choose: Choose): string =>
  choose(
    "Tell me what you are looking for, with a price, a brand or a colour if you have one in mind.",
    "Describe what you need, for example with a price limit, a colour or a rating, and I will look for it.",
  );

const sentences: Record<Exclude<AnswerOutcome, "found">, (brief: AnswerBrief, choose: Choose) => string[]> = {
  greeting: (_, choose) => [choose("Hello!", "Hello, and welcome!"), invitation(choose)],
  thanks: (_, choose) => [
    choose("You are welcome.", "With pleasure."),
    "If you need something else, just ask.",
  ],
  service: (_, choose) => [
    choose(
      "I find products in this catalog and compare them for you.",
      "I search this catalog and say which products fit best.",
    ),
    invitation(choose),
  ],
  question: (_, choose) => [
    choose(
      "I can only help with finding products, so I have no answer to that.",
      "I have no answer to that: I only know the products of this catalog.",
    ),
    invitation(choose),
  ],
  contradiction: (_, choose) => [
    choose(
      "The price limits in your request contradict each other, so no product can match.",
      "No price can be within the limits that you named, so nothing can match.",
    ),
    "Change one of them and I will look again.",
  ],
  nothing: ({ hasPriceBound }, choose) => [
    choose(
      "I found no product that matches your request.",
      "Nothing in the catalog matches what you asked for.",
    ),
    ...(hasPriceBound ? ["Your price limit stands, so I did not look beyond it."] : []),
    choose(
      "The suggestions lead to products of this catalog.",
      "Try other words, or one of the suggestions.",
    ),
  ],
};

/** For requests without any product to speak of. */
export function otherSentences(brief: AnswerBrief, choose: Choose): string[] {
  return brief.outcome === "found" ? [] : sentences[brief.outcome](brief, choose);
}
