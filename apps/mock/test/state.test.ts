import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Product } from "@product-search/types";
import { afterAll, describe, expect, it } from "vitest";
import { createCall } from "./call.ts";
import { startMock } from "./start-mock.ts";

const folder = await mkdtemp(join(tmpdir(), "mock-state-"));
afterAll(() => rm(folder, { recursive: true }));

const webhook = { webhookUrl: "https://partner.example/hook", webhookType: "price.alert" };

describe("a state file", () => {
  it("brings back webhooks, stored responses, images and changed prices", async () => {
    const stateFile = join(folder, "state.json");
    const first = await startMock({ stateFile });
    const before = createCall(first);
    const headers = { "idempotency-key": "k" };
    const created = await before("/webhooks", { body: webhook, headers });
    const { body } = await before<{ Products: Product[] }>("/search/trial?q=lamp");
    const [product] = body.Products;
    await before("/__mock/changes", { body: { productId: product?._id, price: 3.5 } });
    const changed = await before<{ product: Product }>(`/products/${product?._id}`);
    await first.stop();

    const after = createCall(await startMock({ stateFile }));
    expect((await after("/webhooks", { body: webhook, headers })).body).toEqual(created.body);
    expect((await after<{ data: unknown[] }>("/webhooks")).body.data).toHaveLength(1);
    const again = await after<{ product: Product }>(`/products/${product?._id}`);
    // Addresses name the port, which is another one now.
    expect({ ...again.body.product, images: [], url: "" }).toEqual({
      ...changed.body.product,
      images: [],
      url: "",
    });
    const found = await after<{ Products: Product[] }>("/search/trial?q=lamp&priceRange=[3.5,3.5]");
    expect(found.body.Products).toMatchObject([{ _id: product?._id, price: 3.5 }]);
  });

  it("brings back the deliveries of a mock with a seed, whose times are long past", async () => {
    const stateFile = join(folder, "deliveries.json");
    const first = await startMock({ stateFile, seed: 1 });
    const before = createCall(first);
    const { body } = await before<{ data: { id: string } }>("/webhooks", { body: webhook });
    await before(`/webhooks/${body.data.id}/test`, { method: "POST" });
    await first.stop();

    const after = createCall(await startMock({ stateFile }));
    const listed = await after<{ data: unknown[] }>(`/webhooks/${body.data.id}/deliveries`);
    expect(listed.body.data).toHaveLength(1);
  });

  it("is refused when it is none, or was written with another seed", async () => {
    const broken = join(folder, "broken.json");
    await writeFile(broken, '{"version": 1}');
    await expect(startMock({ stateFile: broken })).rejects.toThrow(/is not a state of this mock/);
    const seeded = join(folder, "seeded.json");
    await (await startMock({ stateFile: seeded, seed: 1 })).stop();
    await expect(startMock({ stateFile: seeded, seed: 2 })).rejects.toThrow(/--seed 1/);
  });
});

describe("a seed", () => {
  async function run(seed: number) {
    const mock = await startMock({ seed });
    const call = createCall(mock);
    const responses = [
      await call("/webhooks", { body: webhook }),
      await call("/search/trial?q=lamp"),
      await call("/webhooks", { body: webhook }),
      await call("/webhooks"),
    ];
    return JSON.stringify(responses.map(({ body }) => body)).replaceAll(mock.origin, "");
  }

  it("makes identifiers, keys and times repeatable", async () => {
    const [one, same, other] = [await run(7), await run(7), await run(8)];
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });
});
