import type { DeepSearchResult } from "@product-search/types";

/** Names that the catalog knows, to find those that an answer should not have. */
export interface KnownNames {
  brands: readonly string[];
}

/**
 * Reads an answer as a suspicious person would, knowing nothing of how it was written: whatever it says of names, prices and
 * ratings must be in `topProducts`. Returns what is not.
 */
export function ungroundedStatements(result: DeepSearchResult, { brands }: KnownNames): string[] {
  const { topProducts, productCount } = result;
  const names = topProducts.flatMap(({ name, brand = "", storeName }) => [name, brand, storeName]);
  let rest = result.aiResponse;
  for (const name of names.filter((text) => text !== "").toSorted((a, b) => b.length - a.length)) {
    rest = rest.replaceAll(name, " ");
  }
  const faults: string[] = [];
  const take = (pattern: RegExp, isFine: (match: string) => boolean): void => {
    rest = rest.replace(pattern, (match) => {
      if (!isFine(match)) faults.push(match);
      return " ";
    });
  };
  const number = (text: string): number => Number(text.replace(/[^\d.]/g, ""));
  take(/\$\d[\d,]*(?:\.\d+)?/g, (price) => topProducts.some((product) => product.price === number(price)));
  take(/\d+(?:\.\d+)? stars/g, (stars) =>
    topProducts.some(({ averageRating }) => averageRating === number(stars)),
  );
  take(/\d+%/g, () => true);
  take(/\b[\d,]+ products/g, (count) => number(count) === productCount);
  take(/\d[\d.,]*/g, () => false);
  take(/[$€£¥₹%]|\b(?:dollars?|euros?|pounds?|yen|usd|eur|gbp)\b/gi, () => false);
  take(/https?:|www\.|\w\.(?:com|net|org|example)\b|[<>{}[\]*`|#@]/g, () => false);
  for (const brand of brands)
    if (new RegExp(`(?<!\\w)${literally(brand)}(?!\\w)`, "u").test(rest)) faults.push(brand);
  return faults;
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
