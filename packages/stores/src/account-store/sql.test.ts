import { describeAccountStore } from "@product-search/testing/contracts/account-store/contract.ts";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createSqlAccountStore } from "./sql.ts";

describeOnEachEngine("the account store", (open) => {
  describeAccountStore(async (clock) => {
    const { db, close } = await open();
    return { store: createSqlAccountStore({ db, clock }), close };
  });
});
