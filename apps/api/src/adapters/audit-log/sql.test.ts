import { describeOnEachEngine } from "../../../testing/servers/each-engine.ts";
import { describeAuditLog } from "./contract.ts";
import { createSqlAuditLog } from "./sql.ts";

describeOnEachEngine("the audit log", (open) => {
  describeAuditLog(async (clock) => {
    const { db, close } = await open();
    return { log: createSqlAuditLog({ db, clock }), close };
  });
});
