import { createArrayCatalog, type TestProduct } from "@product-search/testing/array-catalog.ts";
import { shopProducts } from "@product-search/testing/shop.ts";
import { describe, expect, it } from "vitest";
import { understand } from "../understanding/understand.ts";
import { retrieve } from "./retrieve.ts";

async function find(request: string, products: readonly TestProduct[] = shopProducts) {
  const { textSearch, catalogStore } = createArrayCatalog(products);
  const signal = AbortSignal.timeout(60_000);
  const understanding = await understand({ textSearch, catalogStore, currency: "USD" }, request, signal);
  const retrieved = await retrieve({ textSearch, catalogStore }, understanding, signal);
  const [part] = retrieved.parts;
  return {
    ...retrieved,
    names: retrieved.products.map(({ name }) => name),
    relaxed: part?.relaxed,
    droppedWords: part?.droppedWords,
  };
}

describe("relaxing", () => {
  it("relaxes nothing if products meet everything", async () => {
    expect(await find("blue mugs under 20")).toMatchObject({
      names: ["Morrow Clay mug"],
      relaxed: [],
      productCount: 1,
    });
  });

  it.each([
    ["purple tents", ["colour"]],
    ["mugs with 5 stars", ["rating"]],
    ["lamps at least 60% off", ["discount"]],
    ["backordered tents", ["availability"]],
    ["Quist tents", ["brand"]],
    ["tents with a fireplace", ["words"]],
    ["purple mugs with 5 stars", ["rating", "colour"]],
  ])("relaxes as little as possible: %s", async (request, relaxed) => {
    const found = await find(request);
    expect(found.relaxed).toEqual(relaxed);
    expect(found.productCount).toBeGreaterThan(0);
  });

  it("never relaxes a price bound or an exclusion", async () => {
    expect(await find("purple tents under 50")).toMatchObject({ names: [], productCount: 0 });
    expect(await find("backordered bags, not leather")).toMatchObject({ names: ["Pinto Backpack 30 l"] });
    expect(await find("tents over 300 under 100")).toMatchObject({ names: [], productCount: 0 });
  });

  it("never drops the thing itself", async () => {
    expect(await find("blue unicorn saddle")).toMatchObject({ productCount: 0 });
    expect(await find("hiking rocket")).toMatchObject({ productCount: 0 });
  });

  it("reports the words that the products lack", async () => {
    expect(await find("tents with a fireplace")).toMatchObject({
      droppedWords: ["fireplace"],
      productCount: 3,
    });
  });
});

describe("choosing", () => {
  const sizes = Array.from({ length: 12 }, (_, at) => ({
    name: `Quist Runner shoe, size ${36 + at}`,
    price: 95,
    category: "Shoes",
  }));
  const others = ["Velora Boot", "Velora Loafer", "Nave Clog"].map((name) => ({
    name,
    price: 50,
    category: "Shoes",
  }));

  it("shows one size of a thing if there are other things", async () => {
    const { names, productCount } = await find("shoes", [...sizes, ...others]);
    expect(names).toEqual(["Quist Runner shoe, size 36", "Velora Boot", "Velora Loafer", "Nave Clog"]);
    expect(productCount).toBe(15);
  });

  it("shows at most ten, also of one thing", async () => {
    expect((await find("shoes", sizes)).names).toHaveLength(10);
  });

  it("does not let one brand fill the list", async () => {
    const many = ["Oak", "Elm", "Ash", "Fir", "Yew", "Bay", "Box", "Fig", "Gum", "Koa"];
    const products = [
      ...many.map((wood) => ({ name: `Aspen ${wood} stool`, brand: "Aspen", price: 20, category: "Stools" })),
      ...many.map((wood) => ({
        name: `Birch ${wood} stool`,
        brand: `Birch ${wood}`,
        price: 20,
        category: "Stools",
      })),
    ];
    const { names } = await find("stools", products);
    expect(names.filter((name) => name.startsWith("Aspen"))).toHaveLength(3);
    expect((await find("Aspen stools", products)).names).toHaveLength(10);
  });

  it("puts sold-out products last, unless the request has a sort order", async () => {
    const products: TestProduct[] = [
      { name: "Arc lamp", price: 5, category: "Lamps", availability: "out_of_stock" },
      { name: "Glow lamp", price: 9, category: "Lamps" },
    ];
    expect((await find("lamps", products)).names).toEqual(["Glow lamp", "Arc lamp"]);
    expect((await find("cheapest lamps", products)).names).toEqual(["Arc lamp", "Glow lamp"]);
  });
});

describe("a budget for several things", () => {
  it("limits each by what the cheapest of the others leave", async () => {
    const { names, together, parts } = await find("a tent and a sleeping bag under 200 together");
    expect(parts.map(({ intent }) => intent.constraints.maxPriceMinor)).toEqual([14100, 11050]);
    expect(together?.map(({ name }) => name)).toEqual(["Ostara Solo tent", "Ostara Dune sleeping bag"]);
    expect(names).toEqual(["Ostara Solo tent", "Ostara Dune sleeping bag"]);
  });

  it("finds nothing if no choice fits", async () => {
    expect(await find("a tent and a sleeping bag under 100 together")).toMatchObject({
      names: [],
      productCount: 0,
    });
  });
});

describe("the product to recommend", () => {
  const lamp = (
    name: string,
    price: number,
    rating?: number,
    rest: Partial<TestProduct> = {},
  ): TestProduct => ({
    name,
    price,
    category: "Lamps",
    description: "For the desk.",
    ...(rating !== undefined && { rating }),
    ...rest,
  });

  it("is not beaten on price and rating at once", async () => {
    const { names } = await find("lamps", [lamp("Dear lamp", 200, 4.5), lamp("Fair lamp", 90, 4.7)]);
    expect(names[0]).toBe("Fair lamp");
  });

  it("is no badly rated product because it is cheap", async () => {
    const { names } = await find("lamps", [lamp("Poor lamp", 40, 4.1), lamp("Fine lamp", 55, 5)]);
    expect(names[0]).toBe("Fine lamp");
  });

  it("is in stock", async () => {
    const gone = lamp("Gone lamp", 10, 5, { availability: "out_of_stock" });
    const { names } = await find("lamps", [gone, lamp("Lamp at hand", 50, 4.2)]);
    expect(names[0]).toBe("Lamp at hand");
  });

  it("is the cheapest of the best rated", async () => {
    const products = [lamp("Dear lamp", 200, 5), lamp("Cheap lamp", 60, 5), lamp("Other lamp", 10, 4)];
    const { names } = await find("best rated lamps", products);
    expect(names).toEqual(["Cheap lamp", "Dear lamp", "Other lamp"]);
  });

  it("has the feature that serves a purpose which no text names", async () => {
    const products = [
      lamp("Plain lamp", 20, 5),
      lamp("Arm lamp", 40, 4.4, { description: "A jointed arm." }),
    ];
    const { names, droppedWords } = await find("a lamp for reading", products);
    expect(names).toEqual(["Arm lamp"]);
    expect(droppedWords).toEqual([]);
  });
});

it("leaves out the shades of an excluded colour", async () => {
  const products = ["Red", "Burgundy", "Green"].map((colour) => ({
    name: `Mug, ${colour}`,
    price: 5,
    category: "Mugs",
  }));
  expect((await find("mugs, not red", products)).names).toEqual(["Mug, Green"]);
});
