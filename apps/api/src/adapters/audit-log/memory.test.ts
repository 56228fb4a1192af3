import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { describeAuditLog } from "./contract.ts";
import { createMemoryAuditLog } from "./memory.ts";

describe("the audit log in memory", () => {
  describeAuditLog(async (clock) => ({
    log: createMemoryAuditLog({ database: createMemoryDatabase(), clock }),
    close: async () => {},
  }));
});
