import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { DeepSearchResult } from "@product-search/types";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

/** A shop whose categories are numbers of a taxonomy, with products whose colours are attributes only. */
const lamps = ["Halo", "Brio", "Castor", "Lund"].flatMap((model) =>
  ["One", "Two", "Three"].flatMap((version) =>
    ["Pink", "Brass", "Sage"].map((color) => ({
      name: `Floor Lamp ${model} ${version}`,
      category: "187",
      attributes: { color: [color] },
    })),
  ),
);
const rugs = ["Halo", "Brio", "Castor"].map((model) => ({ name: `Wool Rug ${model} Two`, category: "598" }));
const hoodies = ["Fjell", "Strand", "Vind"].flatMap((model) =>
  ["Crimson", "Navy"].flatMap((color) =>
    ["S", "M"].map((size) => ({
      name: `${model} Hoodie`,
      category: "212",
      attributes: { color: [color], size: [size] },
    })),
  ),
);
const products = [...lamps, ...rugs, ...hoodies].map(
  (product, at): ProductInput => ({
    source: "catalog",
    key: String(at),
    storeName: "Corner Shop",
    description: product.category === "598" ? "Goes well below a floor lamp." : "Made to last.",
    groupId: product.name,
    url: `/p/${at}`,
    images: [],
    priceMinor: 5000 + at,
    availability: "in_stock",
    ...product,
  }),
);

let service: TestService;
let headers: Record<string, string>;

beforeAll(async () => {
  service = await createTestService({ environment: { TOKEN_RATE_LIMIT: "0" } });
  headers = { authorization: `Bearer ${await service.token({ scopes: ["search"] })}` };
  await service.stores.catalogStore.apply(products);
  await service.indexed();
  await service.findKinds();
});
afterAll(() => service.close());

async function ask(query: string): Promise<DeepSearchResult> {
  const url = "/api/v1/deep-search";
  const answer = await service.app.inject({ method: "POST", url, headers, payload: { query } });
  expect(answer.statusCode, answer.body).toBe(200);
  return answer.json().data;
}

describe("a shop with numbers for categories, and colours as attributes", () => {
  test.each([
    ["floor lamps", /^Floor Lamp/, 36],
    ["floor lamp", /^Floor Lamp/, 36],
    ["lamps", /^Floor Lamp/, 36],
    ["a pink floor lamp", /^Floor Lamp/, 12],
    ["rugs", /^Wool Rug/, 3],
    ["a crimson hoodie, size M", /Hoodie$/, 3],
    ["hoodies under 100 in Navy", /Hoodie$/, 6],
    ["a crimson hoodie", /Hoodie$/, 6],
  ])("%s", async (query, kind, count) => {
    const { aiResponse, description, suggestions, topProducts, productCount } = await ask(query);
    expect(productCount).toBe(count);
    for (const { name } of topProducts) expect(name).toMatch(kind);
    expect(`${aiResponse} ${description}`).not.toMatch(/set aside|not in the catalog|lamp (?:two|three)/u);
    expect([aiResponse, description, ...suggestions].join(" ")).not.toMatch(/187|598|212/u);
  });

  test.each(["a floor lamp in pink, size M", "a floor lamp, size M"])(
    "a size of other things is said not to be there: %s",
    async (query) => {
      const { aiResponse, topProducts } = await ask(query);
      expect(aiResponse).toMatch(/does not confirm “size M”/u);
      for (const { name } of topProducts) expect(name).toMatch(/^Floor Lamp/u);
    },
  );
});
