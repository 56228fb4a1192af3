import type { PriceEntry, StoredProduct } from "../../../domain/product.ts";
import { isContradictory } from "../../../domain/query-understanding/constraints.ts";
import type { AnswerBrief, AnswerOutcome, AnswerProduct } from "../../../ports/answer-writer.ts";
import type { Retrieved } from "../retrieval/retrieve.ts";
import type { Understanding } from "../understanding/understanding.ts";
import { belowAveragePercent } from "./bargain.ts";

export interface BriefParts {
  request: string;
  understanding: Understanding;
  retrieved: Retrieved;
  /** Of the retrieved products, in their order. */
  histories: readonly (readonly PriceEntry[])[];
  currency: string;
  nowMs: number;
}

const descriptionLength = 200;
const nameLength = 160;

/** All that a writer gets to know. */
export function buildBrief(parts: BriefParts): AnswerBrief {
  const { request, understanding, retrieved, histories, currency, nowMs } = parts;
  const products = retrieved.products.map((product, index) =>
    toAnswerProduct(product, `p${index + 1}`, histories[index] ?? [], nowMs),
  );
  const referenceOf = ({ rowId }: StoredProduct): string[] => {
    const index = retrieved.products.findIndex((product) => product.rowId === rowId);
    return index < 0 ? [] : [`p${index + 1}`];
  };
  const wants = retrieved.parts.map(({ want }) => want);
  return {
    request,
    outcome: outcomeOf(understanding, retrieved),
    total: retrieved.productCount,
    parts: retrieved.parts.map(({ hits, products: own }) => ({
      total: hits.total,
      references: own.flatMap(referenceOf),
    })),
    givenUp: [...new Set(retrieved.parts.flatMap(({ givenUp }) => givenUp))],
    corrected: retrieved.parts.some(({ correctedText }) => correctedText !== undefined),
    hasPriceBound:
      understanding.sharedBudgetMinor !== undefined ||
      wants.some(
        ({ constraints: { minPriceMinor, maxPriceMinor } }) => (minPriceMinor ?? maxPriceMinor) !== undefined,
      ),
    sortedBy: sortedBy(understanding),
    asksForNewest: understanding.asksForNewest ?? false,
    ...(retrieved.together !== undefined && { together: retrieved.together.flatMap(referenceOf) }),
    products,
    currency,
  };
}

function outcomeOf({ topic, wants }: Understanding, { productCount }: Retrieved): AnswerOutcome {
  if (topic !== undefined) return topic;
  if (productCount > 0) return "found";
  return wants.some(({ constraints }) => isContradictory(constraints)) ? "contradiction" : "nothing";
}

function sortedBy({ sorting: { sort, order } }: Understanding): AnswerBrief["sortedBy"] {
  if (sort === "rating" || sort === "discount" || sort === "relevance") return sort;
  return order === "asc" ? "lowest price" : "highest price";
}

function toAnswerProduct(
  product: StoredProduct,
  reference: string,
  history: readonly PriceEntry[],
  nowMs: number,
): AnswerProduct {
  const { name, brand, storeName, priceMinor, reviewCount, availability, category, averageRating } = product;
  const discount = Math.round(product.discountVal);
  const below = belowAveragePercent(history, nowMs);
  return {
    reference,
    name,
    storeName,
    priceMinor,
    reviewCount,
    availability,
    description: product.description.slice(0, descriptionLength),
    speakable: [name, brand ?? "", storeName].every(isSpeakable),
    ...(brand !== undefined && { brand }),
    ...(category !== undefined && { category }),
    ...(averageRating !== undefined && { rating: averageRating }),
    ...(discount >= 1 && { discountPercent: discount }),
    ...(below !== undefined && { belowAveragePercent: below }),
  };
}

/** A name with markup, a link, an order of money or a control character is shown as data, but not spoken in a sentence. */
function isSpeakable(text: string): boolean {
  return (
    text.length <= nameLength &&
    !/[<>{}[\]|\\`\p{Cc}\p{Cf}\p{Sc}]/u.test(text) &&
    !/(?:https?:|www\.|\b[\w-]+\.(?:com|net|org|io|shop|example|info|biz|ru|cn)\b)/iu.test(text) &&
    !/\b(?:ignore|disregard|instructions?|system prompt)\b/iu.test(text)
  );
}
