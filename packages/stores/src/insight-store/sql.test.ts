import { describeInsightStore } from "@product-search/testing/contracts/insight-store/contract.ts";
import { describeOnEachEngine } from "../../testing/each-engine.ts";
import { createSqlInsightStore } from "./sql.ts";

describeOnEachEngine("the insight store", (open) => {
  describeInsightStore(async (limits) => {
    const { db, close } = await open();
    return {
      store: createSqlInsightStore({ db, limits }),
      async addProducts(ids) {
        await db.insertInto("products").values(ids.map(productRow)).execute();
      },
      close,
    };
  });
});

function productRow(id: string) {
  return {
    ...{ source: "catalog", key: id, id, slug: id, name: id, store_name: "Shop", description: "", url: "" },
    ...{ images: "[]", price_minor: 100, availability: "in_stock", review_count: 0, is_verified: 0 },
    ...{ is_boosted: 0, discount_val: 0, price_since: 0, created_at: 0, updated_at: 0 },
  };
}
