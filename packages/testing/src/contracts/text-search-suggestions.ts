import type { SuggestionQuery, TextQuery, TextSearch } from "@product-search/core/ports/text-search.ts";
import { describe, expect, test } from "vitest";

/** The part of the contract on what is suggested and named, with the products of the rest. */
export function describeSuggestions(
  textSearch: () => TextSearch,
  search: (text: string, query: Partial<TextQuery>) => Promise<{ total: number }>,
): void {
  describe("suggest", () => {
    const suggest = (text: string, source: SuggestionQuery["source"] = "catalog") => {
      const limits = { queryLimit: 8, nameLimit: 5, productLimit: 3 };
      return textSearch().suggest({ text, source, ...limits }, new AbortController().signal);
    };

    test.each(["l", "la", "lam", "lamp", "lmap", "lamo"])("completes %s", async (text) => {
      const { queries, rowIds } = await suggest(text);
      expect(queries[0]).toBe("lamp");
      expect(queries).toContain("desk lamp");
      expect(rowIds).toHaveLength(3);
    });

    test("suggests brands and categories of the source only", async () => {
      expect(await suggest("lumi")).toMatchObject({ brands: ["Café Lumière"], categories: [] });
      expect(await suggest("la")).toMatchObject({ brands: [], categories: ["Lamps"] });
      expect(await suggest("aur")).toMatchObject({ queries: [], brands: [], rowIds: [] });
      expect(await suggest("aur", "marketplace-a")).toMatchObject({ brands: ["Aurelio"] });
    });

    test("suggests only queries that find a product with all their words", async () => {
      for (const text of ["d", "desk", "desk l", "blue des", "red o", "floor lam", "noctis l"])
        for (const query of (await suggest(text)).queries)
          expect(
            (await search(query, { filters: { source: "catalog" }, everyWord: true })).total,
            query,
          ).toBeGreaterThan(0);
    });

    test("suggests nothing for punctuation", async () => {
      expect(await suggest("?!")).toEqual({ queries: [], brands: [], categories: [], rowIds: [] });
    });
  });

  describe("names and words", () => {
    test.each([
      ["noct", ["Noctis"]],
      ["NOKTIS", ["Noctis"]],
      ["lumiere", ["Café Lumière"]],
      ["zzyzx", []],
    ])("finds brands for %s", async (text, expected) => {
      expect(await textSearch().findBrands(text, 20)).toEqual(expected);
    });

    test("finds the names in a text", async () => {
      expect(await textSearch().brandsNamedIn("cafe lumiere lamps by noctis")).toEqual([
        "Café Lumière",
        "Noctis",
      ]);
      expect(await textSearch().categoriesNamedIn("a red lamp")).toEqual(["Lamps"]);
      expect(await textSearch().storesNamedIn("lamps at lichthaus")).toEqual(["Lichthaus"]);
    });

    test("counts the products with a word", async () => {
      expect(await textSearch().wordFrequency("Lamp")).toBe(5);
      expect(await textSearch().wordFrequency("zzyzx")).toBe(0);
    });
  });
}
