import { describeAccountStore } from "@product-search/testing/contracts/account-store/contract.ts";
import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { createMemoryAccountStore } from "./memory.ts";

describe("the account store in memory", () => {
  describeAccountStore(async (clock) => ({
    store: createMemoryAccountStore({ database: createMemoryDatabase(), clock }),
    close: async () => {},
  }));
});
