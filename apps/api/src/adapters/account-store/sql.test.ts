import { describeOnEachEngine } from "../../../testing/servers/each-engine.ts";
import { describeAccountStore } from "./contract.ts";
import { createSqlAccountStore } from "./sql.ts";

describeOnEachEngine("the account store", (open) => {
  describeAccountStore(async (clock) => {
    const { db, close } = await open();
    return { store: createSqlAccountStore({ db, clock }), close };
  });
});
