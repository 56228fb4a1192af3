import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { TextFilters } from "@product-search/core/ports/text-search.ts";
import type { OpenTextSearch } from "@product-search/testing/contracts/text-search.ts";
import { bareProduct } from "@product-search/testing/fake-products.ts";
import type { Languages } from "@product-search/text-index";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serviceLanguages } from "../src/service-languages.ts";

const product = (key: string, name: string, given: Partial<ProductInput> = {}) =>
  bareProduct(key, { name, storeName: "Laden", ...given });

const products = [
  product("en-lamp", "Brass desk lamps with a dimmer", { category: "Lamps" }),
  product("en-hose", "Garden hose 20 m"),
  product("en-bag", "Leather bag"),
  product("de-lampe", "Schreibtischlampe mit Dimmer", { category: "Lampen" }),
  product("de-hose", "Hosen aus Leinen für Damen", { language: "de" }),
  product("de-tasche", "Ledertasche für den Alltag"),
  product("de-tuch", "Küchenhandtücher kariert", { language: "de-AT" }),
  product("de-gummi", "Elastische Binde", { language: "de" }),
  product("fr-lampe", "Lampes de bureau noires", { language: "fr" }),
  product("fr-eau", "Gourde pour l'eau froide", { language: "fr" }),
  product("es-zapato", "Zapatos de cuero para mujer"),
  product("es-luz", "Luces de jardín", { language: "es" }),
];

/** Tests for every text search of a catalog in several languages. */
export function describeLanguages(open: (languages: Languages) => Promise<OpenTextSearch>): void {
  let opened: OpenTextSearch;
  beforeAll(async () => {
    opened = await open(serviceLanguages(["en", "de", "fr", "es"]));
    await opened.add(products);
  });
  afterAll(() => opened.close());

  const found = async (text: string, filters: TextFilters = {}) => {
    const hits = await opened.textSearch.search(
      { text, filters, sort: "relevance", order: "desc", offset: 0, limit: 20 },
      new AbortController().signal,
    );
    return Promise.all(hits.rowIds.map(opened.keyOf));
  };

  describe("a catalog in several languages", () => {
    test.each([
      ["desk lamp", "en-lamp"],
      ["garden hoses", "en-hose"],
      // German forms, compounds and umlauts, in both directions.
      ["hose für damen", "de-hose"],
      ["lampe für schreibtische", "de-lampe"],
      ["taschen aus leder", "de-tasche"],
      ["kuechenhandtuch", "de-tuch"],
      ["handtuch", "de-tuch"],
      ["leder tasche", "de-tasche"],
      ["lampe de bureau noire", "fr-lampe"],
      ["eau", "fr-eau"],
      ["zapato", "es-zapato"],
      ["luz de jardin", "es-luz"],
    ])("finds %s first", async (text, key) => {
      expect((await found(text))[0]).toBe(key);
    });

    test("finds no word in an ending that only looks like it", async () => {
      expect(await found("tisch", { withWords: [["tisch"]] })).not.toContain("de-gummi");
    });

    test("reads synonyms in the language of the query", async () => {
      expect(await found("schreibtischleuchte")).toContain("de-lampe");
    });

    test.each([
      ["rinde", "bidne", "de-gummi"],
      ["cuervo", "ceuro", "es-zapato"],
      ["barreau", "bureua", "fr-lampe"],
    ])("takes an ordinary word for no other one: %s, but corrects %s", async (ordinary, misspelt, key) => {
      expect(await found(ordinary)).toEqual([]);
      expect(await found(misspelt)).toContain(key);
    });

    test("applies filters on words in every form and in compounds", async () => {
      const bags = ["en-bag", "de-tasche"];
      expect((await found("", { withWords: [["leather", "leder"]] })).toSorted()).toEqual(bags.toSorted());
      expect(await found("tasche", { withoutWords: ["leder"] })).not.toContain("de-tasche");
    });

    test("knows categories and words in every language", async () => {
      expect(await opened.textSearch.categoriesNamedIn("eine lampe")).toContain("Lampen");
      expect(await opened.textSearch.wordFrequency("zapatos")).toBe(1);
    });

    test("suggests words as they are written", async () => {
      const limits = { queryLimit: 8, nameLimit: 5, productLimit: 3 };
      const signal = new AbortController().signal;
      const { queries } = await opened.textSearch.suggest(
        { text: "schr", source: "catalog", ...limits },
        signal,
      );
      expect(queries).toContain("schreibtischlampe");
    });
  });
}
