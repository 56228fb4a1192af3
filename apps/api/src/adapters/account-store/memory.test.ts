import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { describeAccountStore } from "./contract.ts";
import { createMemoryAccountStore } from "./memory.ts";

describe("the account store in memory", () => {
  describeAccountStore(async (clock) => ({
    store: createMemoryAccountStore({ database: createMemoryDatabase(), clock }),
    close: async () => {},
  }));
});
