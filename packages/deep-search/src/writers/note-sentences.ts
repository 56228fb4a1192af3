import type { AnswerBrief, UnmetReason } from "@product-search/core/ports/answer-writer.ts";
import type { Wording } from "./wording.ts";

/** These are said of the catalog's texts and can share one sentence. */
const mentions: readonly UnmetReason[] = ["size", "audience", "purpose", "word"];
const named: readonly UnmetReason[] = ["name", "colour", "brand", "store", ...mentions, "exclusion"];
const maxGroups = 2;

/** What the reader must know first: how the request was read, and which of its conditions are not met. */
export function noteSentences(brief: AnswerBrief, wording: Wording): string[] {
  const { notes } = wording.texts;
  const { corrected, otherCurrency, asksForNewest, asksForPopular, keptPriceLimit, nothingCheaper } = brief;
  return [
    ...(corrected ? [notes.corrected] : []),
    ...(otherCurrency ? [notes.currency] : []),
    ...(nothingCheaper ? [notes.nothingCheaper] : []),
    ...(keptPriceLimit ? [notes.keptLimit] : []),
    ...unmetNotes(brief, wording),
    ...relaxedNotes(brief, wording),
    ...(asksForNewest ? [notes.newest] : []),
    ...(asksForPopular ? [notes.popular] : []),
  ];
}

/** Each unmet condition is named, in one sentence for each reason. */
function unmetNotes({ unmet }: AnswerBrief, { texts, fill, quoted, any }: Wording): string[] {
  const present = named.filter((reason) => unmet.some((one) => one.reason === reason));
  const isLong = present.length > maxGroups;
  const reasonOf = (reason: UnmetReason): UnmetReason =>
    isLong && mentions.includes(reason) ? "word" : reason;
  return [...new Set(present.map(reasonOf))].map((reason) => {
    const said = unmet.flatMap((one, index) =>
      reasonOf(one.reason) === reason ? [quoted(`{unmet.${index + 1}}`)] : [],
    );
    return fill(texts.notes[reason === "wish" ? "word" : reason], { said: any(said) });
  });
}

/** Constraints that were relaxed and have no words to repeat, or none that may be repeated. */
function relaxedNotes({ relaxed, unmet }: AnswerBrief, { texts: { notes } }: Wording): string[] {
  const isNamed = unmet.length > 0;
  return relaxed.flatMap((name) => {
    switch (name) {
      case "rating":
      case "discount":
      case "availability":
      case "category":
        return [notes[name]];
      default:
        return isNamed ? [] : [notes.other];
    }
  });
}

/** What of the request was not read or not searched for. */
export function leftOutSentences(
  { leftOut }: AnswerBrief,
  { texts: { notes }, fill, quoted, all }: Wording,
): string[] {
  if (leftOut === undefined) return [];
  const { from, things } = leftOut;
  const said = all(things.map((_, index) => quoted(`{leftOut.${index + 1}}`)));
  const sentences = [
    ...(from === undefined ? [] : [fill(notes.leftOutFrom, { said: quoted("{leftOutFrom}") })]),
    ...(things.length === 0 ? [] : [fill(notes.leftOut, { said })]),
  ];
  return sentences.length > 0 ? sentences : [notes.leftOutSome];
}
