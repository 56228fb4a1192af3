import { describeWebhookStore } from "@product-search/testing/contracts/webhook-store/contract.ts";
import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { randomId } from "../database/random-id.ts";
import { createMemoryWebhookStore } from "./memory.ts";

describe("the webhook store in memory", () => {
  describeWebhookStore(async (clock) => ({
    store: createMemoryWebhookStore({ database: createMemoryDatabase(), clock, newId: randomId }),
    accountIds: ["ac_own", "ac_other"],
    close: async () => {},
  }));
});
