import type { AnswerBrief, Relaxable } from "../../ports/answer-writer.ts";
import { type Choose, inWords } from "./wording.ts";

const constraintNames: Record<Relaxable, string> = {
  availability: "the availability",
  discount: "the reduction",
  rating: "the rating",
  colour: "the colour",
  store: "the store",
  category: "the category",
  brand: "the brand",
  words: "some of the words",
  purpose: "the purpose",
};

/** What the reader must know first: how the request was changed, or which part could not be met. At most two sentences. */
export function noteSentences(brief: AnswerBrief, choose: Choose): string[] {
  return [
    ...correctionNote(brief, choose),
    ...currencyNote(brief),
    ...relaxedNote(brief, choose),
    ...newestNote(brief, choose),
  ].slice(0, 2);
}

/** The changed word is not repeated: words of the request never appear in an answer. The description shows the search. */
function correctionNote({ corrected }: AnswerBrief, choose: Choose): string[] {
  if (!corrected) return [];
  return [
    choose(
      "I took a word of your request for a spelling mistake.",
      "One word looked like a spelling mistake, so I searched for a similar one.",
    ),
  ];
}

function currencyNote({ otherCurrency }: AnswerBrief): string[] {
  return otherCurrency ? ["Prices here are in {currency}, so I took your amount as {currency}."] : [];
}

/** Names the relaxed constraints without their values: names and numbers of the request never appear in an answer. */
function relaxedNote({ relaxed, hasPriceBound }: AnswerBrief, choose: Choose): string[] {
  if (relaxed.length === 0) return [];
  if (relaxed.length === 1 && relaxed[0] === "purpose")
    return [
      choose(
        "No description speaks of that use, so I went by the rest of your request.",
        "The descriptions do not say what suits that use, so I went by the rest.",
      ),
    ];
  const what = inWords(relaxed.map((name) => constraintNames[name]));
  const bound = hasPriceBound ? ", but kept to your price limit" : "";
  return [
    choose(
      `Nothing matches everything, so I set aside ${what} that you asked for${bound}.`,
      `To find anything I had to give up ${what} from your request${bound}.`,
    ),
  ];
}

function newestNote({ asksForNewest }: AnswerBrief, choose: Choose): string[] {
  if (!asksForNewest) return [];
  return [
    choose(
      "Which of them is newest I cannot tell: the catalog does not say when a product came out.",
      "When a product came out is not in the catalog, so I cannot sort by that.",
    ),
  ];
}
