import { describeAuditLog } from "@product-search/testing/contracts/audit-log/contract.ts";
import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { createMemoryAuditLog } from "./memory.ts";

describe("the audit log in memory", () => {
  describeAuditLog(async (clock) => ({
    log: createMemoryAuditLog({ database: createMemoryDatabase(), clock }),
    close: async () => {},
  }));
});
