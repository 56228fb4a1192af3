import { createArrayCatalog } from "@product-search/testing/array-catalog.ts";
import { createShop } from "@product-search/testing/shop.ts";
import { describe, expect, it } from "vitest";
import { shopOf } from "./answer/brief-details.ts";
import { createDeepSearch } from "./deep-search.ts";
import type { DeepSearchDeps } from "./deep-search-deps.ts";
import { clausesOf } from "./understanding/needs.ts";
import { statusOfThing } from "./understanding/things.ts";
import { understand } from "./understanding/understand.ts";
import { createBuiltInAnswerWriter } from "./writers/built-in.ts";

/** Answers the last of several queries. */
function answersOf(shop: Pick<DeepSearchDeps, "textSearch" | "catalogStore" | "kindFinder">) {
  const deepSearch = createDeepSearch({
    ...shop,
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
const answer = answersOf(createShop());

it.each(["constructor lamps", "lamps with a constructor", "size constructor lamps", "valueOf tents"])(
  "reads a word that every object has like any other: %s",
  async (query) => {
    expect((await answer(query)).aiResponse).not.toBe("");
  },
);

describe("a request that begins with no", () => {
  it.each(["no leather", "no leather please", "No, no leather"])("excludes: %s", async (query) => {
    const { names } = await answer(query, ["shoes"]);
    expect(names).toContain("Velora Canvas sneaker");
    expect(names).not.toContain("Velora Slip-on loafer");
  });

  it.each(["no, black ones", "nope in black", "no i meant black ones", "no the black ones"])(
    "corrects: %s",
    async (query) => {
      expect((await answer(query, ["lamps"])).names).toEqual(["Halden Glow desk lamp"]);
    },
  );
});

it("keeps the limit of the shopper, however often something cheaper is requested", async () => {
  const { topProducts } = await answer("cheaper", ["tents under 200", "cheaper", "cheaper", "cheaper"]);
  expect(topProducts.map(({ price }) => price)).toEqual([89.5, 149]);
});

it.each([
  ["make it 100", [89.5]],
  ["forget the price, which is the cheapest?", [89.5, 149, 259]],
])("changes the limit of the shopper: %s", async (query, prices) => {
  const { topProducts } = await answer(query, ["tents under 200"]);
  expect(topProducts.map(({ price }) => price).slice(0, 3)).toEqual(prices);
});

it("leaves out the brand that was named before", async () => {
  const brands = (await answer("not that brand", ["Velora shoes"])).topProducts.map(({ brand }) => brand);
  expect(brands.length).toBeGreaterThan(0);
  expect(brands).not.toContain("Velora");
});

it("reads each of several materials as a choice", async () => {
  const { intents } = await understand(
    { ...createShop(), currency: "USD" },
    "shoes in leather or canvas",
    AbortSignal.timeout(60_000),
  );
  expect(intents.map(({ features }) => features)).toEqual([["leather"], ["canvas"]]);
});

it("sets clauses that tell something apart from a wish", () => {
  const { told, others } = clausesOf("my old tent broke last week, i need a new one for 2 people");
  expect(told).toEqual(["my old tent broke last week"]);
  expect(others).toEqual(["i need a new one for 2 people"]);
});

const jackets = [
  ...[50, 60, 70, 80].map((price, at) => ({
    name: `Norrun rain jacket ${"ABCD"[at]}`,
    price,
    brand: "Norrun",
  })),
  { name: "Vesta bomber jacket", price: 500, brand: "Vesta", description: "Keeps out the rain." },
].map((jacket) => ({ ...jacket, category: "Jackets" }));

describe("an answer about the shop", () => {
  it("has the lowest and the highest price of the products that it counts", async () => {
    const { aiResponse } = await answersOf(createArrayCatalog(jackets))("how much are rain jackets?");
    expect(aiResponse).toContain("4 products cost from $50.00, for Norrun rain jacket A, to $80.00");
  });

  it("has the values of the products that it counts", async () => {
    const shop = createArrayCatalog(jackets);
    const findByRowIds = async (rowIds: readonly number[]) =>
      (await shop.catalogStore.findByRowIds(rowIds)).map((product) => ({
        ...product,
        attributes: { color: product.brand === "Vesta" ? ["Red"] : ["Blue", "Green"] },
      }));
    const ask = answersOf({ ...shop, catalogStore: { ...shop.catalogStore, findByRowIds } });
    const { aiResponse } = await ask("what colours do rain jackets come in?");
    expect(aiResponse).toMatch(/Blue and Green/);
    expect(aiResponse).not.toContain("Red");
  });

  const tablesOf = (brands: number) =>
    createArrayCatalog(
      Array.from({ length: brands }, (_, at) => ({
        name: `Table ${at}`,
        price: 50 + at,
        brand: `Alba${at}`,
        category: "Tables",
      })),
    );

  it("counts all brands", async () => {
    const { aiResponse } = await answersOf(tablesOf(260))("how many brands do you have?");
    expect(aiResponse).toContain("260 brands");
    expect(aiResponse).toContain("250 more");
  });

  it("says nothing of the brands if there are too many to count", async () => {
    const { aiResponse } = await answersOf(tablesOf(1100))("how many brands do you have?");
    expect(aiResponse).toContain("1,100 products");
    expect(aiResponse).not.toContain("brands");
  });

  it("does not say how many kinds there are if only some of them were counted", async () => {
    const lamps = createArrayCatalog([
      { name: "Halden desk lamp", price: 40, category: "Lamps" },
      { name: "Halden floor lamp", price: 90, category: "Lamps" },
    ]);
    const kinds = "desk floor wall table bed clip string salt tripod sun lava paper"
      .split(" ")
      .map((words) => ({ name: `${words} lamp`, category: "Lamps", words }));
    const kindFinder = {
      kindsMeant: () => undefined,
      namedThing: () => undefined,
      kindsNear: () => kinds.map((kind) => ({ kind, score: 1 })),
      isFixedName: () => false,
    };
    const { aiResponse } = await answersOf({ ...lamps, kindFinder })("how many kinds of lamps do you have?");
    expect(aiResponse).toContain("of these kinds: desk lamp, floor lamp");
  });

  it("counts the names that are not said", () => {
    const shop = { asks: "kinds", isCount: true, names: ["Lamps", "Sale at $5"], more: 2 } as const;
    expect(shopOf({ shop, parts: [], products: [], productCount: 9 })).toMatchObject({
      shop: { names: ["lamps"], more: 3 },
    });
  });
});

describe("an attribute that the request names", () => {
  const boots = (name: string, attributes: Record<string, string[]>) => ({
    name,
    price: 80,
    category: "Boots",
    attributes,
  });
  const ask = answersOf(
    createArrayCatalog([
      boots("Norrun Fell", { lining: ["Wool"], "heel height": ["5 cm"], size: ["42"] }),
      boots("Norrun Tarn", { lining: ["Leather"], "heel height": ["3 cm"], size: ["M"] }),
      boots("Norrun Rill with wool laces", { toe_shape: ["Round"] }),
    ]),
  );

  it.each([
    ["boots with wool lining", "Fell"],
    ["boots with a lining of leather", "Tarn"],
    ["boots, heel height 5 cm", "Fell"],
    ["boots with a 3 cm heel height", "Tarn"],
    ["boots in size 42", "Fell"],
    ["boots in size medium", "Tarn"],
    ["boots with round toe shape", "Rill with wool laces"],
    ["wool lining boots under 100", "Fell"],
  ])("is a filter: %s", async (query, name) => {
    expect((await ask(query)).names).toEqual([`Norrun ${name}`]);
  });

  it.each([
    ["boots with silk lining", "silk"],
    ["boots in size 47", "size 47"],
  ])("is said if no product has the value: %s", async (query, value) => {
    const { aiResponse, names } = await ask(query);
    expect(names).toHaveLength(3);
    expect(aiResponse).toContain(value);
  });

  it("is no other thing: a lamp of a kind is no bicycle with such a lamp", async () => {
    const { names } = await answersOf(
      createArrayCatalog([
        { name: "Halden LED lamp", price: 40 },
        { name: "Velora city bike", price: 400, attributes: { lamp: ["LED"] } },
      ]),
    )("led lamp");
    expect(names).toEqual(["Halden LED lamp"]);
  });
});

it.each([
  ["shop.example", true],
  ["my-shop.co.uk", true],
  ["https://shop.example/x", false],
  ["Buy at shop.example today", false],
])("names a product of the store %s: %s", async (store, isNamed) => {
  const lamps = createArrayCatalog([{ name: "Halden desk lamp", price: 40, store, category: "Lamps" }]);
  const { aiResponse } = await answersOf(lamps)("desk lamps");
  expect(aiResponse.includes(`Halden desk lamp for $40.00 at ${store}`)).toBe(isNamed);
});

describe("that is too expensive", () => {
  it.each([
    "that is too expensive",
    "out of my price range",
    "I can't afford that",
    "not that expensive please",
    "I don't want to spend that much",
    "das ist zu teuer",
    "c'est trop cher",
    "es demasiado caro",
  ])("shows what is cheaper: %s", async (query) => {
    const { topProducts } = await answer("tents");
    const [shown] = topProducts;
    const cheaper = (await answer(query, ["tents"])).topProducts;
    expect(cheaper.length).toBeGreaterThan(0);
    for (const { price } of cheaper) expect(price).toBeLessThan(shown?.price ?? 0);
  });
});

it.each([
  "compare the cheapest and the dearest tent",
  "your most expensive or your cheapest tent?",
  "vergleiche das billigste und das teuerste zelt",
  "compara la más barata y la más cara tienda de campaña",
  "compare the cheapest tent with the most expensive one",
  "how does your priciest tent differ from the cheapest?",
])("compares two products of one kind: %s", async (query) => {
  const { names, description, topProducts } = await answer(query);
  expect(description).toMatch(/^Comparison of/);
  expect(names).toHaveLength(2);
  expect(topProducts.map(({ price }) => price).toSorted((one, other) => one - other)).toEqual([89.5, 259]);
});

it.each([
  "what is the difference between your two cheapest tents?",
  "your two most affordable tents: which one should I take?",
  "which of your two cheapest tents has the better rating?",
  "Was ist der Unterschied zwischen euren zwei billigsten Zelten?",
  "Quelle est la différence entre vos deux tentes les moins chères ?",
  "¿Cuál es la diferencia entre vuestras dos tiendas de campaña más baratas?",
])("compares the first two of an order: %s", async (query) => {
  const { aiResponse, topProducts } = await answer(query);
  expect(topProducts.map(({ price }) => price)).toEqual([89.5, 149]);
  expect(aiResponse).not.toContain("zwei");
});

it.each([
  ["how do red tents compare to blue tents?", ["Fellhaven Base tent, 4 person", "Ostara Solo tent"]],
  ["which is lighter, a tent or a sleeping bag?", ["tent", "bag"]],
  ["is a tent or a sleeping bag better for the mountains?", ["tent", "bag"]],
  ["tent vs sleeping bag, which is better for beginners?", ["tent", "bag"]],
])("compares kinds: %s", async (query, names) => {
  const { aiResponse, topProducts } = await answer(query);
  expect(aiResponse).toMatch(/If the price decides|of the two/u);
  for (const name of names) expect(topProducts.map((product) => product.name).join()).toContain(name);
  expect(aiResponse).not.toMatch(/lighter|better for/u);
});

it("knows the name of a thing before a number", async () => {
  const cushion = { name: "Halden 5 cushion", category: "Cushions", price: 50 };
  expect((await answersOf(createArrayCatalog([cushion]))("PlayStation 5")).names).toEqual([]);
});

it("takes no thing for there because a synonym describes another", async () => {
  const { textSearch, catalogStore } = createArrayCatalog([
    { name: "Halden cushion", category: "Cushions", price: 50, description: "Piped edges." },
  ]);
  const statusIf = (sourceHas: "thing" | "words") => {
    const search: typeof textSearch.search = async (query, signal) => ({
      ...(await textSearch.search({ ...query, text: "piped" }, signal)),
      sourceHas,
    });
    return statusOfThing(
      { textSearch: { ...textSearch, search }, catalogStore },
      "hose",
      AbortSignal.timeout(9_000),
    );
  };
  expect([await statusIf("words"), await statusIf("thing")]).toEqual(["unknown", "named"]);
});

it("tells two of one kind apart by the names of products", async () => {
  const { aiResponse } = await answer("compare a tent under 100 and a tent over 100");
  expect(aiResponse).not.toMatch(/the tent/u);
});

it.each(["compare a blue tent and a red one", "a blue tent or a red one"])(
  "reads the thing before as what one stands for: %s",
  async (query) => {
    expect((await answer(query)).names.toSorted()).toEqual([
      "Fellhaven Base tent, 4 person",
      "Ostara Solo tent",
    ]);
  },
);

it.each([
  "a gift for a child",
  "a gift for my mother-in-law",
  "a gift for three friends",
  "ein Geschenk für meine Schwiegermutter",
  "un cadeau pour ma tante",
  "un regalo para mi sobrino",
])("finds gifts for anybody: %s", async (query) => {
  const { names } = await answer("a gift for my friend");
  expect(names.length).toBeGreaterThan(0);
  expect((await answer(query)).names).toEqual(names);
});

it.each([
  "secret santa",
  "We're doing secret santa at the office",
  "Wichtelgeschenk",
  "un cadeau pour le père noël secret",
  "un regalo para el amigo invisible",
])("finds small gifts where they are drawn by lot: %s", async (query) => {
  const { names } = await answer("a small gift");
  expect(names.length).toBeGreaterThan(0);
  expect((await answer(query)).names).toEqual(names);
});

describe("a need", () => {
  const near = new Map([
    ["keep my head dry", "Tents"],
    ["gloomy", "Lamps"],
    ["loves camping", "Tents"],
    ["has a red nose", "Lamps"],
  ]);
  const asked = answersOf({
    ...createShop(),
    kindFinder: {
      kindsMeant: () => undefined,
      kindsNear: (text) =>
        [...near]
          .filter(([words]) => text.endsWith(words))
          .map(([, category]) => ({ kind: { name: category, category, words: "" }, score: 0.6 })),
      namedThing: () => undefined,
      isFixedName: () => false,
    },
  });

  it.each([
    ["How do I keep my head dry?", "Tents"],
    ["what helps me to keep my head dry", "Tents"],
    ["our stairs are gloomy", "Lamps"],
    ["my mother in law, she loves camping, what could I give her?", "Tents"],
    ["my boss is retiring and loves camping", "Tents"],
    ["a gift for a colleague who loves camping", "Tents"],
    ["I need a present for my best friend who loves camping", "Tents"],
    ["something for somebody who loves camping", "Tents"],
    ["a gift for my boss who has a red nose", "Lamps"],
    ["something for my aunt, she can't start a day without camping: she loves camping", "Tents"],
    ["Geschenk für meine Tante, sie loves camping", "Tents"],
  ])("is met by what is near to it: %s", async (query, kind) => {
    const { description, productCount } = await asked(query);
    expect(description).toBe(kind);
    expect(productCount).toBeGreaterThan(0);
  });

  it.each(["how do I return my order?", "how old is the moon?", "how do I unblock a sink?"])(
    "is not what cannot be met: %s",
    async (query) => {
      expect((await asked(query)).productCount).toBe(0);
    },
  );
});

describe("bounds in a unit that attributes have", () => {
  const shop = createArrayCatalog(
    [15, 30, 45, 60].map((height, at) => ({
      name: `Lamp ${["Ane", "Bero", "Cilo", "Dura"][at]}`,
      price: 20 * (at + 1),
      category: "Lamps",
      attributes: { height: [`${height} cm`] },
    })),
  );

  it.each([
    ["lamp over 20 cm under 50 dollars", ["Lamp Bero"]],
    ["a lamp of at least 0.4 m", ["Lamp Cilo", "Lamp Dura"]],
    ["lamps between 20 and 50 cm", ["Lamp Bero", "Lamp Cilo"]],
    ["I need a lamp up to 35cm", ["Lamp Ane", "Lamp Bero"]],
    ["lamp around 30 cm for my desk", ["Lamp Bero"]],
  ])("are filters: %s", async (query, names) => {
    const found = await answersOf(shop)(query);
    expect(found.names.toSorted()).toEqual(names);
    expect(found.productCount).toBe(names.length);
  });

  it("are described", async () => {
    expect((await answersOf(shop)("lamps between 20 and 50 cm")).description).toContain("20 to 50 cm");
  });
});
