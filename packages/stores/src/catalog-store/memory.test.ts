import { systemClock } from "@product-search/core/ports/clock.ts";
import { describeCatalogStore } from "@product-search/testing/contracts/catalog-store/contract.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { describe, expect, test } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { createMemoryOutbox } from "../database/memory/memory-outbox.ts";
import { randomId } from "../database/random-id.ts";
import { createMemoryCatalogStore } from "./memory.ts";

describe("the catalog store in memory", () => {
  const presentation = { publicUrl: "https://shop.example", currency: "USD" };
  const open = (clock = systemClock) => {
    const database = createMemoryDatabase();
    const outbox = createMemoryOutbox({ database, presentation, newId: randomId });
    return { store: createMemoryCatalogStore({ database, clock, outbox }) };
  };
  describeCatalogStore(async (clock) => ({ ...open(clock), close: async () => {} }));

  test("applies the others when an input cannot be applied", async () => {
    const { store } = open();
    const broken = productInput("b", { priceMinor: Number.NaN });
    const outcomes = await store.applyEach([productInput("a"), broken, productInput("c")]);
    expect(outcomes).toEqual(["created", "failed", "created"]);
  });
});
