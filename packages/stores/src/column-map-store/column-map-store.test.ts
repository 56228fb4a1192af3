import type { ColumnMapStore } from "@product-search/core/ports/imports.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeOnPostgres, openTestPostgres } from "../../testing/postgres.ts";
import { openMemoryDatabase } from "../database/open.ts";
import { createSqlColumnMapStore } from "./column-map-store.ts";

describe("with SQLite", () =>
  describeColumnMapStore(async () => {
    const { db, close } = await openMemoryDatabase();
    onTestFinished(close);
    return createSqlColumnMapStore({ db });
  }));

describeOnPostgres("with PostgreSQL", () =>
  describeColumnMapStore(async () => {
    const { db } = await openTestPostgres();
    onTestFinished(() => db.destroy());
    return createSqlColumnMapStore({ db });
  }),
);

function describeColumnMapStore(open: () => Promise<ColumnMapStore>): void {
  it("keeps the maps of each source, the newest first", async () => {
    const store = await open();
    const names = { fields: { title: "Name" }, attributes: ["Colour"] };
    const prices = { fields: { price: "Net, EUR" }, attributes: [], site: "https://shop.example" };
    expect(await store.list("catalog")).toEqual([]);
    await store.save("catalog", names);
    await store.save("catalog", prices);
    await store.save("marketplace-a", names);
    expect(await store.list("catalog")).toEqual([prices, names]);
    expect(await store.list("marketplace-b")).toEqual([]);
    await store.clear("catalog");
    expect(await store.list("catalog")).toEqual([]);
    expect(await store.list("marketplace-a")).toEqual([names]);
  });

  it("replaces a map with the same columns, and forgets the oldest ones", async () => {
    const store = await open();
    await store.save("catalog", { fields: { title: "A", id: "B" }, attributes: [] });
    await store.save("catalog", { fields: { title: "C" }, attributes: [] });
    const corrected = { fields: { title: "B", id: "A" }, attributes: [] };
    await store.save("catalog", corrected);
    expect(await store.list("catalog")).toEqual([corrected, { fields: { title: "C" }, attributes: [] }]);
    for (let at = 0; at < 25; at += 1)
      await store.save("catalog", { fields: { title: `T${at}` }, attributes: [] });
    const kept = await store.list("catalog");
    expect(kept).toHaveLength(20);
    expect(kept[0]?.fields).toEqual({ title: "T24" });
  });
}
