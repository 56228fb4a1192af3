import { systemClock } from "@product-search/core/ports/clock.ts";
import { describeCatalogStore } from "@product-search/testing/contracts/catalog-store/contract.ts";
import { productInput } from "@product-search/testing/fake-products.ts";
import { describe, expect, test } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { createMemoryOutbox } from "../database/memory/memory-outbox.ts";
import { randomId } from "../database/random-id.ts";
import { createMemoryDeadLetters } from "../dead-letters/memory.ts";
import { createMemoryCatalogStore } from "./memory.ts";

describe("the catalog store in memory", () => {
  const presentation = { publicUrl: "https://shop.example", currency: "USD" };
  const open = (clock = systemClock) => {
    const database = createMemoryDatabase();
    const outbox = createMemoryOutbox({ database, presentation, newId: randomId });
    return { database, store: createMemoryCatalogStore({ database, clock, outbox }) };
  };
  describeCatalogStore(async (clock) => ({ ...open(clock), close: async () => {} }));

  test("creates a dead letter for an input that cannot be applied, and applies the others", async () => {
    const { database, store } = open();
    const broken = productInput("b", { priceMinor: Number.NaN });
    const outcomes = await store.applyEach([productInput("a"), broken, productInput("c")]);
    expect(outcomes).toEqual(["created", "failed", "created"]);
    const letters = createMemoryDeadLetters({ database, clock: systemClock });
    const [letter] = (await letters.list({ limit: 10 })).letters;
    expect(letter).toMatchObject({ queue: "imports", error: expect.stringMatching(/NaN/) });
    expect(await letters.inputOf(letter?.id ?? "")).toEqual(broken);
  });
});
