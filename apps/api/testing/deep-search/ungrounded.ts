import type { DeepSearchResult } from "@product-search/types";

/** Names of the catalog, to find those that an answer must not contain. */
export interface KnownNames {
  brands: readonly string[];
  /** All texts of the catalog by product name: quotes must come from these. */
  texts: ReadonlyMap<string, string>;
}

/**
 * Checks an answer without knowing how it was written: every name, price and rating in it must be in `topProducts`.
 * Returns those that are not.
 */
export function ungroundedStatements(result: DeepSearchResult, { brands, texts }: KnownNames): string[] {
  const { topProducts, productCount } = result;
  const names = topProducts.flatMap(({ name, brand = "", storeName }) => [
    name,
    shortOf(name),
    brand,
    storeName,
  ]);
  const faults: string[] = [];
  const own = topProducts.map(({ name }) => `${name} ${texts.get(name) ?? ""}`).join(" ");
  let rest = result.aiResponse
    .replace(/“([^“”]*)”/gu, (_, quote: string) => {
      if (!own.includes(quote)) faults.push(quote);
      return " ";
    })
    // The only sentence about money without a product.
    .replace(/Prices here are in [A-Z]{3}, so I took your amount as [A-Z]{3}\./, " ");
  for (const name of names.filter((text) => text !== "").toSorted((a, b) => b.length - a.length)) {
    rest = rest.replaceAll(name, " ");
  }
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

/** A name without variant details, as an answer may shorten it. */
function shortOf(name: string): string {
  return (name.split(/,| \(| [–—|-] /u)[0] ?? "").trim();
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
