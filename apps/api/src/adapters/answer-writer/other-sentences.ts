import type { AnswerBrief, AnswerOutcome } from "../../ports/answer-writer.ts";
import { type Choose, inWords } from "./wording.ts";

const invitation = (choose: Choose): string =>
  choose(
    "Tell me what you are looking for, with a price, a brand or a colour if you have one in mind.",
    "Describe what you need, for example with a price limit, a colour or a rating, and I will look for it.",
  );

/** Answers without a product to name. */
type OtherOutcome = Exclude<AnswerOutcome, "found" | "comparison" | "product">;

const sentences: Record<OtherOutcome, (brief: AnswerBrief, choose: Choose) => string[]> = {
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
  absent: ({ near }, choose) =>
    near.length === 0
      ? [
          choose("This catalog does not have that, nor anything near it.", "That is not in this catalog."),
          "The suggestions show what there is.",
        ]
      : [
          choose("This catalog does not have that.", "That is something this catalog does not have."),
          `What comes nearest are its ${inWords(near.map((kind) => kind.toLowerCase()))}, which mention it but are something else.`,
        ],
  "unknown product": () => [
    "The catalog has no product of that name.",
    "Check the name, or describe what you need and I will look for it.",
  ],
  "unclear product": () => ["I do not see which product you mean.", "Name it, and I will look at its data."],
  nothing: ({ hasPriceBound, otherCurrency }, choose) => [
    ...(otherCurrency ? ["Prices here are in {currency}, so I took your amount as {currency}."] : []),
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

export function otherSentences(brief: AnswerBrief, outcome: OtherOutcome, choose: Choose): string[] {
  return sentences[outcome](brief, choose);
}
