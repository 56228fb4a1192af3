import {
  type AnswerBrief,
  type AnswerPart,
  type AnswerProduct,
  maxSentences,
} from "@product-search/core/ports/answer-writer.ts";
import { noteSentences } from "./note-sentences.ts";
import { sameFeatures } from "./same-features.ts";
import { ifRated, inItsLanguage, quoteOf, type Wording } from "./wording.ts";

/** How two products or two kinds of products differ, in the order in which the user named them. */
export function comparisonSentences(brief: AnswerBrief, wording: Wording): string[] {
  const notes = noteSentences(brief, wording);
  const areKinds = brief.parts.some(({ total }) => total > 1);
  const sentences = areKinds ? kindSentences(brief, wording) : productSentences(brief, wording);
  return [...notes, ...sentences].slice(0, maxSentences);
}

function productsOf({ references }: AnswerPart, { products }: AnswerBrief): AnswerProduct[] {
  return references.flatMap((reference) =>
    products.filter((one) => one.reference === reference && one.speakable),
  );
}

/** What the descriptions of each kind have that those of the other do not, what each costs, and which is the cheaper. */
function kindSentences(brief: AnswerBrief, wording: Wording): string[] {
  const { texts, fill, all } = wording;
  const { comparison } = texts;
  const parts = brief.parts.slice(0, 2);
  const thingOf = (part: AnswerPart): string => wording.thing(part, brief.parts.indexOf(part));
  const features = parts
    .filter((part) => part.features.length > 0)
    .map((part) => fill(comparison.kind, { quote: featuresOf(part, brief, wording), said: thingOf(part) }));
  const difference =
    features.length === 0
      ? fill(comparison.sameKinds, { said: all(parts.map(thingOf)) })
      : fill(comparison.kinds, { features: features.join(", ") });
  const priced = parts.flatMap((part) => {
    const [best] = productsOf(part, brief).toSorted((one, other) => one.priceMinor - other.priceMinor);
    return best === undefined ? [] : [{ best, said: thingOf(part) }];
  });
  const prices = priced.map(({ best, said }) =>
    fill(comparison.priceOfKind, { best, said, ratedLast: ifRated(best, texts.ratedLast) }),
  );
  const [cheapest, ...others] = priced.toSorted((one, other) => one.best.priceMinor - other.best.priceMinor);
  const isCheaper = others.some(({ best }) => best.priceMinor > (cheapest?.best.priceMinor ?? 0));
  return [
    difference,
    ...(prices.length === 0 ? [] : [fill(comparison.prices, { features: prices.join(`, ${texts.and} `) })]),
    ...(cheapest !== undefined && isCheaper ? [fill(comparison.ifPrice, { said: cheapest.said })] : []),
  ];
}

function featuresOf(part: AnswerPart, brief: AnswerBrief, wording: Wording): string {
  const { quoted, all } = wording;
  const number = brief.parts.indexOf(part) + 1;
  const features = all(part.features.map((_, index) => quoted(`{w${number}.feature${index + 1}}`)));
  return inItsLanguage(features, productsOf(part, brief)[0] ?? {}, wording);
}

function productSentences(brief: AnswerBrief, wording: Wording): string[] {
  const { texts, fill } = wording;
  const compared = brief.parts.flatMap((part) => productsOf(part, brief)[0] ?? []);
  const [one, other] = compared;
  const sayTheSame = sameFeatures(one?.quote, other?.quote);
  const described = compared.slice(0, 2).map((best) => {
    const isPlain = best.quote === undefined || sayTheSame;
    const text = isPlain ? texts.comparison.describePlain : texts.comparison.describe;
    const ratedEnd = ifRated(best, texts.several.ratedEnd);
    return fill(text, { best, quote: quoteOf(best, wording), ratedEnd });
  });
  if (one === undefined || other === undefined) return described;
  const same = sayTheSame ? [fill(texts.comparison.sameQuote, { quote: quoteOf(one, wording) })] : [];
  return [...described, ...verdicts(one, other, wording), ...same];
}

function verdicts(one: AnswerProduct, other: AnswerProduct, { texts, fill }: Wording): string[] {
  const { comparison } = texts;
  const cheaper = one.priceMinor < other.priceMinor ? one : other;
  const better = (one.rating ?? 0) > (other.rating ?? 0) ? one : other;
  const isCheaper = one.priceMinor !== other.priceMinor;
  const isBetter = one.rating !== undefined && other.rating !== undefined && one.rating !== other.rating;
  if (isCheaper && isBetter && cheaper === better) return [fill(comparison.both, { best: cheaper })];
  return [
    isCheaper ? fill(comparison.cheaper, { best: cheaper }) : comparison.same,
    ...(isBetter ? [fill(comparison.better, { best: better })] : []),
  ];
}
