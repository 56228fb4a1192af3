import type { TextQuery } from "@product-search/core/ports/text-search.ts";
import { ungroundedStatements } from "@product-search/testing/deep-search/ungrounded.ts";
import { createShop, shopProducts } from "@product-search/testing/shop.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDeepSearch } from "./deep-search.ts";
import { readingLimits } from "./reading.ts";
import { limitWords } from "./understanding/limit-words.ts";
import { createBuiltInAnswerWriter } from "./writers/built-in.ts";

const shop = createShop();
const searches: TextQuery[] = [];
const deepSearch = createDeepSearch({
  ...shop,
  textSearch: {
    ...shop.textSearch,
    search: (query, signal) => {
      searches.push(query);
      return shop.textSearch.search(query, signal);
    },
  },
  builtInWriter: createBuiltInAnswerWriter(),
  clock: { now: () => Date.UTC(2026, 10, 21) },
  currency: "USD",
  publicUrl: "https://shop.example",
});
const shopText = shopProducts.map(({ name, description = "" }) => `${name} ${description}`).join(" ");

async function ask(query: string, history: readonly string[] = []) {
  searches.length = 0;
  const { data } = await deepSearch.answer({ query, history }, AbortSignal.timeout(60_000));
  return { ...data, searches: [...searches] };
}

const leftOut = /longer than I can read|more than I can look for/;
const known = [...new Set(shopText.toLowerCase().match(/\p{L}{3,}/gu))];

describe("a long question", () => {
  const word = fc.oneof(fc.constantFrom(...known), fc.stringMatching(/^[a-z]{3,8}$/));
  const separator = fc.constantFrom(", ", " and ", " for ", " with ", " without ", " or ", " ");
  const question = fc
    .array(fc.tuple(word, separator), { minLength: 1, maxLength: 80 })
    .map((pieces) => pieces.flat().join("").slice(0, 512));

  it("is never read beyond the limits, and gets an answer", async () => {
    await fc.assert(
      fc.asyncProperty(question, fc.array(question, { maxLength: 3 }), async (query, history) => {
        const { searches: made, ...data } = await ask(query, history);
        expect(made.length).toBeLessThanOrEqual(readingLimits.searches);
        expect(data.query).toBe(query);
        expect(data.topProducts.length > 0).toBe(data.productCount > 0);
      }),
      { numRuns: 150 },
    );
  });

  it("says that things beyond the eighth were left out, and which", async () => {
    const things =
      "a tent, a sleeping bag, a sneaker, a loafer, a mug, a lamp, a running shoe, a boot, a backpack, a leather bag";
    const { aiResponse, topProducts, searches: made } = await ask(`${things} under 50`);
    expect(aiResponse).toMatch(/left out everything from “backpack” on/);
    for (const { price } of topProducts) expect(price).toBeLessThanOrEqual(50);
    expect(made.map(({ text }) => text).join(" ")).not.toMatch(/backpack|leather/);
    expect(made.length).toBeLessThanOrEqual(readingLimits.searches);
  });

  it("says from which word on it was not read", async () => {
    const words = Array.from(
      { length: 40 },
      (_, at) => `q${String.fromCharCode(97 + (at % 26))}x${at < 26 ? "a" : "b"}`,
    );
    const { aiResponse, searches: made } = await ask(`a tent with ${words.join(" ")}`);
    expect(aiResponse).toContain(`everything from “${words[31]}” on`);
    const searched = new Set(made.flatMap(({ text }) => text.split(" ")));
    expect(searched.size).toBeLessThanOrEqual(readingLimits.words);
    expect(searched).not.toContain(words[31]);
  });

  it("does not name a word that is there several times", async () => {
    const { aiResponse } = await ask("tent ".repeat(60));
    expect(aiResponse).not.toContain("everything from");
    expect(aiResponse).toMatch(leftOut);
  });

  it("keeps its price limit wherever it is written", async () => {
    const { topProducts } = await ask(`tent, ${"waterproof roomy light green ".repeat(12)}, under 100`);
    for (const { price } of topProducts) expect(price).toBeLessThanOrEqual(100);
    expect(limitWords("tent big ⟦0⟧ red ⟦1⟧", 1)).toEqual({ text: "tent  ⟦0⟧ ⟦1⟧", from: "big" });
  });

  it.each([
    ["Zelt, Schlafsack, Tasse, Lampe, Rucksack, ".repeat(8), /weggelassen/],
    ["tente, tasse, lampe, chaussures, sac à dos, ".repeat(8), /laissé/],
    ["tienda, taza, lámpara, zapatos, mochila, ".repeat(8), /dejado fuera/],
  ])("is answered in its language: %s", async (query, message) => {
    expect((await ask(query)).aiResponse).toMatch(message);
  });
});

it("says nothing about limits for an ordinary question", async () => {
  for (const query of ["a tent and a sleeping bag under 200", "a warm sleeping bag for winter", "hello"])
    expect((await ask(query)).aiResponse).not.toMatch(leftOut);
});

describe("the check of answers", () => {
  const names = {
    brands: [...new Set(shopProducts.flatMap(({ brand }) => brand ?? []))],
    texts: new Map(shopProducts.map(({ name, description = "" }) => [name, description])),
  };
  const answerTo = async () => {
    const { searches: _, ...data } = await ask("a waterproof tent");
    return data;
  };

  it("finds nothing in an answer of the service", async () => {
    expect(ungroundedStatements(await answerTo(), names)).toEqual([]);
  });

  it.each([
    ["a price that no product has", "It costs $1.50.", "$1.50"],
    ["a rating that no product has", "It is rated 2.5 stars.", "2.5 stars"],
    ["another number of products", "There are 77 products.", "77 products"],
    ["a brand that is not shown", "Morrow makes a better one.", "Morrow"],
    ["a quote that no text has", "Its description says “unbreakable poles”.", "unbreakable poles"],
    ["a number alone", "It weighs 4 kilograms.", "4"],
    ["an amount in words", "It costs a few dollars.", "dollars"],
    ["a link", "See www.evil.example for more.", "www."],
    ["markup", "It is <b>good</b>.", "<"],
  ])("refuses %s", async (_, sentence, fault) => {
    const data = await answerTo();
    const faults = ungroundedStatements({ ...data, aiResponse: `${data.aiResponse} ${sentence}` }, names);
    expect(faults).toContain(fault);
  });
});

describe("leaving", () => {
  function shopThat(onSearch: () => void) {
    return createDeepSearch({
      ...shop,
      textSearch: {
        ...shop.textSearch,
        async search(query, signal) {
          onSearch();
          return shop.textSearch.search(query, signal);
        },
      },
      builtInWriter: createBuiltInAnswerWriter(),
      clock: { now: () => Date.UTC(2026, 10, 21) },
      currency: "USD",
      publicUrl: "https://shop.example",
    });
  }
  const question = "a tent, a mug, a lamp, a sneaker, a loafer, a boot and a sleeping bag";

  it("stops after the next search when the client leaves", async () => {
    const leaving = new AbortController();
    let made = 0;
    const counted = shopThat(() => {
      made += 1;
      if (made === 3) leaving.abort();
    });
    await expect(counted.answer({ query: question }, leaving.signal)).rejects.toMatchObject({
      name: "AbortError",
    });
    expect(made).toBe(3);
  });
});
