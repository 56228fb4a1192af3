import type { DeepSearchResult } from "@product-search/types";

/** Names of the catalog, to find those that an answer must not contain. */
export interface KnownNames {
  brands: readonly string[];
  /** All texts of the catalog by product name: quotes must come from these. */
  texts: ReadonlyMap<string, string>;
}

/** The quotation marks of the languages in which answers are written. */
const quotation = /“([^“”]*)”|„([^„“]*)“|« ?([^«»]*?) ?»/gu;

/**
 * Checks an answer without knowing how it was written: every name, price and rating in it must be in `topProducts`, and what
 * stands in quotation marks in the texts of these products or in the request, given with its earlier ones. Returns what is
 * not.
 */
export function ungroundedStatements(
  result: DeepSearchResult,
  { brands, texts }: KnownNames,
  history: readonly string[] = [],
): string[] {
  const { topProducts, productCount } = result;
  const names = topProducts.flatMap(({ name, brand = "", storeName }) => [
    name,
    shortOf(name),
    brand,
    storeName,
  ]);
  const faults: string[] = [];
  const own = topProducts.map(({ name }) => `${name} ${texts.get(name) ?? ""}`).join(" ");
  const requests = [result.query, ...history]
    .join(" ")
    .toLowerCase()
    .replace(/[\s-]+/gu, " ");
  const isSaid = (quote: string): boolean =>
    [quote, colourStem(quote)].some((text) => requests.includes(text.toLowerCase().replaceAll("-", " ")));
  let rest = result.aiResponse
    .replace(quotation, (_, ...quotes: (string | undefined)[]) => {
      const quote = quotes.slice(0, 3).find((one) => one !== undefined) ?? "";
      if (!own.includes(quote) && !isSaid(quote)) faults.push(quote);
      return " ";
    })
    // The only sentences about money without a product.
    .replace(aboutCurrency, " ");
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
  take(/\d+(?:\.\d+)? (?:stars|Sternen?|étoiles|estrellas)/g, (stars) =>
    topProducts.some(({ averageRating }) => averageRating === number(stars)),
  );
  take(/\d+%/g, () => true);
  take(/\b[\d,]+ (?:products|Produkten?|produits|productos)/g, (count) => number(count) === productCount);
  // Of long lists, only the number of the others is said.
  take(
    /\b\d+ (?:more|brands|kinds|weiteren|Marken|Arten|autres|marques|types|más|marcas|tipos)\b/g,
    () => true,
  );
  take(/\d[\d.,]*/g, () => false);
  take(/[$€£¥₹%]|\b(?:dollars?|euros?|pounds?|yen|usd|eur|gbp)\b/gi, () => false);
  take(/https?:|www\.|\w\.(?:com|net|org|example)\b|[<>{}[\]*`|#@]/g, () => false);
  for (const brand of brands)
    if (new RegExp(`(?<!\\w)${literally(brand)}(?!\\w)`, "u").test(rest)) faults.push(brand);
  return faults;
}

const aboutCurrency =
  /Prices here are in [A-Z]{3}, so I took your amount as [A-Z]{3}\.|Die Preise sind hier in [A-Z]{3}, deshalb habe ich Ihren Betrag als [A-Z]{3} gelesen\.|Les prix sont ici en [A-Z]{3} ; j'ai donc lu votre montant en [A-Z]{3}\.|Los precios están aquí en [A-Z]{3}; he leído su importe en [A-Z]{3}\./u;

/** A colour is repeated in its base form: "rojo" for "rojas". */
function colourStem(colour: string): string {
  return colour.slice(0, -1);
}

/** A name without variant details, as an answer may shorten it. */
function shortOf(name: string): string {
  return (name.split(/,| \(| [–—|-] /u)[0] ?? "").trim();
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
