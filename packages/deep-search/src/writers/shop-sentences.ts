import type { AnswerBrief } from "@product-search/core/ports/answer-writer.ts";
import { formatCount } from "../answer/format.ts";
import type { Wording } from "./wording.ts";

type Shop = NonNullable<AnswerBrief["shop"]>;

/** How many products there are, if they meet all conditions; before what is said about the best of them. */
export function countNote({ shop, total, relaxed, unmet }: AnswerBrief, { texts }: Wording): string[] {
  if (shop === undefined || total < 2 || relaxed.length + unmet.length > 0) return [];
  return shop.asks === "presence" || shop.asks === "count" ? [texts.shop[shop.asks]] : [];
}

/** Brands, kinds, values or prices of all products that were found; undefined if the answer is about the best one. */
export function shopSentence(brief: AnswerBrief, wording: Wording): string | undefined {
  const { shop, products } = brief;
  const { texts, fill, quoted } = wording;
  if (shop === undefined || shop.asks === "count" || shop.asks === "presence") return undefined;
  if (shop.asks === "prices") {
    const [best, other] = [products[0], products.at(-1)];
    if (best === undefined || other === undefined || best === other) return undefined;
    return fill(texts.shop.prices, { best, other });
  }
  if (shop.names.length === 0) return texts.shop.unsaid;
  const names = listed(shop, wording, (name) => {
    if (shop.asks === "brands") return `{${name}.brand}`;
    return /\d/u.test(name) ? quoted(name) : name;
  });
  const count = formatCount(shop.names.length + shop.more);
  return fill(texts.shop[shop.isCount ? (`${shop.asks}Counted` as const) : shop.asks], { names, count });
}

function listed({ names, more }: Shop, { texts, fill, all }: Wording, say: (name: string) => string): string {
  const others = more > 0 ? [fill(texts.shop.more, { count: formatCount(more) })] : [];
  return all([...names.map(say), ...others]);
}
