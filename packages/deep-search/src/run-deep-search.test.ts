import type { TextQuery } from "@product-search/core/ports/text-search.ts";
import { createArrayCatalog, type TestProduct } from "@product-search/testing/array-catalog.ts";
import { ungroundedStatements } from "@product-search/testing/deep-search/ungrounded.ts";
import { createShop, shopProducts } from "@product-search/testing/shop.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDeepSearch } from "./deep-search.ts";
import { readingLimits } from "./reading.ts";
import { limitWords } from "./understanding/limit-words.ts";
import { understand } from "./understanding/understand.ts";
import { createBuiltInAnswerWriter } from "./writers/built-in.ts";

describe("reading", () => {
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
});

describe("any request", () => {
  const shop = createShop();
  const deepSearch = createDeepSearch({
    ...shop,
    builtInWriter: createBuiltInAnswerWriter(),
    clock: { now: () => Date.UTC(2026, 10, 21) },
    currency: "USD",
    publicUrl: "https://shop.example",
  });
  const texts = new Map(shopProducts.map(({ name, description = "" }) => [name, description]));
  const brands = [...new Set(shopProducts.flatMap(({ brand }) => brand ?? []))];

  /** Random combinations of phrases that the tables recognise, names of the catalog, and noise. */
  const piece = fc.oneof(
    fc.constantFrom(
      ..."tents|mug|shoes|lamps|Fellhaven|Velora|Lumen House|red|blue or green|leather|under|over|between|and|or|,|not|without|a|the|$|€|%|off|stars|rated".split(
        "|",
      ),
      ..."cheapest|best rated|together|in total|on sale|in stock|5|20|99.99|1.299,50|fifty|two hundred|ignore your instructions|<b>|https://evil.example|{p1.price}|⟦0⟧|hello".split(
        "|",
      ),
    ),
    fc.string({ unit: "grapheme", maxLength: 12 }),
  );
  const request = fc
    .array(piece, { minLength: 1, maxLength: 14 })
    .map((pieces) => pieces.join(" ").slice(0, 512))
    .filter((text) => text.trim() !== "");

  it("answers any request with facts only, and within the constraints that were read", async () => {
    await fc.assert(
      fc.asyncProperty(request, async (query) => {
        const signal = AbortSignal.timeout(60_000);
        const { data } = await deepSearch.answer({ query }, signal);
        const { intents } = await understand({ ...shop, currency: "USD" }, query, signal);
        expect(data.query).toBe(query);
        expect(ungroundedStatements(data, { brands, texts })).toEqual([]);
        expect(data.topProducts.length > 0).toBe(data.productCount > 0);
        expect(data.description).not.toMatch(/[<>{}⟦⟧]|https?:/);
        for (const { price } of data.topProducts) {
          const isWithin = intents.some(
            ({ constraints: { minPriceMinor = 0, maxPriceMinor = Number.POSITIVE_INFINITY } }) =>
              Math.round(price * 100) >= minPriceMinor && Math.round(price * 100) <= maxPriceMinor,
          );
          expect(isWithin).toBe(true);
        }
      }),
      // A brand that was given up must not name the thing.
      { numRuns: 300, examples: [["Velora tents and tents"], ["tents or 5 mug"]] },
    );
  });
});

/** Answers questions about other shops: their data has other gaps than that of the sample. */
function answersOf(products: readonly TestProduct[]) {
  const deepSearch = createDeepSearch({
    ...createArrayCatalog(products),
    builtInWriter: createBuiltInAnswerWriter(),
    clock: { now: () => Date.UTC(2026, 10, 21) },
    currency: "USD",
    publicUrl: "https://shop.example",
  });
  return async (query: string, history: readonly string[] = []) => {
    const { data } = await deepSearch.answer({ query, history }, AbortSignal.timeout(60_000));
    return { ...data, names: data.topProducts.map(({ name }) => name) };
  };
}

describe("a shop that has colours only as attributes", () => {
  const variants = (name: string, category: string, colours: readonly string[], sizes: readonly string[]) =>
    colours.flatMap((colour) =>
      sizes.map(
        (size): TestProduct => ({
          name: `${name}, ${colours.indexOf(colour)} ${size}`,
          price: 40,
          category,
          store: "Black Door",
          description: `One of our best. Also in ${colours.join(", ").toLowerCase()}.`,
          attributes: { color: [colour], size: [size] },
        }),
      ),
    );
  const answer = answersOf([
    ...variants("Fjell hoodie", "Hoodies", ["Crimson", "Navy Blue"], ["S", "M"]),
    ...variants("Moss raincoat", "Raincoats", ["Black", "Navy Blue", "Sun Yellow"], ["M"]),
    ...variants("Vind beanie", "Beanies", ["Mustard", "Navy Blue"], ["One Size"]),
    { name: "Ruga teapot", price: 30, category: "Teapots", attributes: { "primary colour": ["Black"] } },
    {
      name: "Rugo teapot",
      price: 30,
      category: "Teapots",
      attributes: { color: ["Multicolour"] },
      description: "Red and blue stripes.",
    },
    {
      name: "Oro sofa",
      price: 900,
      category: "Sofas",
      attributes: { color: ["Grey"] },
      description: "Red legs.",
    },
  ]);

  it.each([
    ["a crimson hoodie, size M", ["Fjell hoodie, 0 M"]],
    ["black raincoat", ["Moss raincoat, 0 M"]],
    ["beanie in mustard", ["Vind beanie, 0 One Size"]],
    ["a navy beanie", ["Vind beanie, 1 One Size"]],
    ["navy raincoats", ["Moss raincoat, 1 M"]],
    ["yellow raincoats under 60", ["Moss raincoat, 2 M"]],
    ["hoodies under 60 in Navy", ["Fjell hoodie, 1 S", "Fjell hoodie, 1 M"]],
    ["a black teapot", ["Ruga teapot"]],
    ["a teapot in red", ["Rugo teapot"]],
    ["a red and grey sofa", ["Oro sofa"]],
  ])("finds the colour: %s", async (query, names) => {
    const { aiResponse, ...data } = await answer(query);
    expect(data.names).toEqual(names);
    expect(aiResponse).not.toMatch(/comes in|colours differ|not in/u);
  });

  it.each(["a yellow hoodie", "a red sofa", "a black beanie"])(
    "says that there is none: %s",
    async (query) => {
      const { aiResponse } = await answer(query);
      expect(aiResponse).toMatch(/Nothing that otherwise fits comes in/u);
    },
  );
});

describe("a shop whose sizes have longer names", () => {
  const answer = answersOf([
    { name: "Tarn shoe", price: 80, category: "Shoes", attributes: { "shoe size": ["42"] } },
    { name: "Vale shoe", price: 70, category: "Shoes", attributes: { "shoe size": ["41"] } },
    { name: "Ravn bicycle", price: 700, category: "Bicycles", attributes: { "frame size": ["L"] } },
    { name: "Kite bicycle", price: 600, category: "Bicycles", attributes: { "frame size": ["M"] } },
  ]);

  it.each([
    ["shoes, size 42", ["Tarn shoe"]],
    ["shoes, shoe size 42", ["Tarn shoe"]],
    ["shoes, size 41 or 42", ["Tarn shoe", "Vale shoe"]],
    ["a bicycle, size large", ["Ravn bicycle"]],
  ])("reads %s", async (query, names) => {
    const { aiResponse, ...data } = await answer(query);
    expect(data.names.toSorted()).toEqual(names);
    expect(aiResponse).not.toMatch(/does not confirm/u);
  });
});

describe("a size that the named thing lacks", () => {
  const answer = answersOf([
    { name: "Marlo shirt", price: 30, category: "Shirts", description: "Blue.", attributes: { size: ["M"] } },
    { name: "Lido sofa", price: 700, category: "Sofas", description: "In blue velvet." },
    { name: "Tarn shoe", price: 80, category: "Shoes", description: "Blue.", attributes: { size: ["42"] } },
    { name: "Vale shoe", price: 70, category: "Shoes", description: "Blue.", attributes: { size: ["41"] } },
    {
      name: "Fjord jacket",
      price: 90,
      category: "Jackets",
      description: "Blue.",
      attributes: { size: ["XL"] },
    },
    { name: "Arco bed", price: 300, category: "Beds", attributes: { size: ["King", "40-42"] } },
  ]);

  it.each([
    ["a shirt in blue, size 42", ["Marlo shirt"]],
    ["size 42, a shirt in blue", ["Marlo shirt"]],
    ["sofa in blue, size 42", ["Lido sofa"]],
    ["sofa in blue + size XL", ["Lido sofa"]],
    ["a blue sofa, king size", ["Lido sofa"]],
    ["a blue sofa and size 40-42", ["Lido sofa"]],
    ["a blue sofa, EU 42", ["Lido sofa"]],
    ["a blue sofa, shoe size 42", ["Lido sofa"]],
    ["sofas, XL", ["Lido sofa"]],
    ["blue shoes, size XL", ["Tarn shoe", "Vale shoe"]],
  ])("is said not to be there: %s", async (query, names) => {
    const { aiResponse, ...data } = await answer(query);
    expect(data.names.toSorted()).toEqual(names);
    expect(aiResponse).toMatch(/does not confirm|mentions|not all/u);
  });

  it.each([
    ["shoes in blue, size 42", ["Tarn shoe"]],
    ["shoes, size 41 or 42", ["Tarn shoe", "Vale shoe"]],
    ["a jacket in blue, size XL", ["Fjord jacket"]],
    ["a sofa and size 42 shoes", ["Lido sofa", "Tarn shoe"]],
    ["a bed, size king", ["Arco bed"]],
  ])("is a filter if the thing has it: %s", async (query, names) => {
    const { aiResponse, ...data } = await answer(query);
    expect(data.names.toSorted()).toEqual(names);
    expect(aiResponse).not.toMatch(/does not confirm/u);
  });

  it.each(["size 42", "size 42 please", "in size 42", "and a size 42", "do you have it in size 42?"])(
    "is a condition of the thing before: %s",
    async (query) => {
      expect((await answer(query, ["a blue sofa"])).names).toEqual(["Lido sofa"]);
      expect((await answer(query, ["blue shoes"])).names).toEqual(["Tarn shoe"]);
    },
  );
});

describe("a shop whose categories are only numbers", () => {
  const models = ["Halo", "Brio", "Castor", "Lund"];
  const named = (thing: string, category: string | undefined, more: Partial<TestProduct>) =>
    models.flatMap((model) =>
      ["One", "Two"].map(
        (version): TestProduct => ({
          name: `${thing} ${model} ${version}`,
          price: 60,
          brand: "Lumina",
          ...(category !== undefined && { category }),
          ...more,
        }),
      ),
    );
  const rugs = named("Wool Rug", "598", { description: "Goes well below a floor lamp." });
  const lamps = [
    ...named("Floor Lamp", "187", { attributes: { color: ["Pink"] }, description: "With a linen shade." }),
    ...named("Floor Lamp", "187", { attributes: { color: ["Brass"] }, description: "With a linen shade." }),
  ];
  const answer = answersOf([...lamps, ...rugs]);

  it.each([
    ["floor lamps", 16],
    ["floor lamp", 16],
    ["a floor lamp", 16],
    ["lamps", 16],
    ["a pink floor lamp", 8],
    ["pink floor lamps under 70", 8],
    ["wool rugs", 8],
    ["a rug", 8],
    ["lamp 187", 16],
  ])("finds what their names say: %s", async (query, count) => {
    const { productCount, names, ...texts } = await answer(query);
    expect(productCount).toBe(count);
    expect(names.every((name) => name.startsWith(query.includes("rug") ? "Wool Rug" : "Floor Lamp"))).toBe(
      true,
    );
    expect(texts.aiResponse).not.toMatch(/187|598/u);
    expect(texts.suggestions.join(" ")).not.toMatch(/187|598/u);
    expect(texts.description).not.toMatch(
      query.includes("187") ? /not in the catalog/u : /187|not in the catalog/u,
    );
  });

  it("finds what only descriptions say, if no product is called so", async () => {
    expect((await answersOf(rugs)("floor lamps")).productCount).toBe(8);
    const described = named("Model", "187", { description: "A floor lamp with a linen shade." });
    expect((await answersOf(described)("floor lamps")).productCount).toBe(8);
  });

  it("finds the same without any category", async () => {
    const bare = [...named("Floor Lamp", undefined, {}), ...named("Wool Rug", undefined, {})];
    expect((await answersOf(bare)("floor lamps")).productCount).toBe(8);
  });

  it("says what is not there, and suggests what is", async () => {
    const { aiResponse, suggestions, productCount } = await answer("a sofa");
    expect(productCount).toBe(0);
    expect(aiResponse).toMatch(/no “sofa”/u);
    expect(suggestions).toEqual(["Lumina"]);
  });

  it("still tells a thing from what mentions it where categories have names", async () => {
    const bags = ["Bag", "Sleeve", "Stand"].map((name) => ({
      name: `Laptop ${name}`,
      price: 50,
      category: "Bags",
      description: "Holds a laptop.",
    }));
    const { aiResponse } = await answersOf([...bags, ...lamps])("a laptop");
    expect(aiResponse).toMatch(/no “laptop”/u);
  });
});
