import { describeIdempotencyStore } from "@product-search/testing/contracts/idempotency-store/contract.ts";
import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { createMemoryIdempotencyStore } from "./memory.ts";

describe("the idempotency store in memory", () => {
  describeIdempotencyStore(async (clock, kept) => ({
    store: createMemoryIdempotencyStore({ database: createMemoryDatabase(), clock, kept }),
    accountId: "own",
    close: async () => {},
  }));
});
