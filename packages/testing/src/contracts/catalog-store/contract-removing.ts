import { ImportLeaseLostError } from "@product-search/core/ports/catalog-store.ts";
import { describe, expect, test } from "vitest";
import { productInput } from "../../fake-products.ts";
import { type CatalogWorld, dayMs } from "./contract-world.ts";

/** Tests for the deletion of products in every catalog store. */
export function describeRemoving(world: CatalogWorld): void {
  describe("removing", () => {
    const idOf = async (key: string) => (await world.findByKey(key)).id;

    test("returns the outcome of each identifier, and leaves nothing that can be found", async () => {
      await world.store.apply([productInput("a"), productInput("b"), productInput("c")]);
      const [a, b, c] = [await world.findByKey("a"), await world.findByKey("b"), await world.findByKey("c")];
      expect(await world.store.remove([c.id, "absent", a.id, a.id])).toEqual([
        "removed",
        "absent",
        "removed",
        "absent",
      ]);
      expect(await world.store.scan(0, 10)).toEqual([b]);
      expect(await world.store.findById(a.id)).toBeUndefined();
      expect(await world.store.findByIds([c.id, b.id, a.id])).toEqual([b]);
      expect(await world.store.findByRowIds([a.rowId, b.rowId, c.rowId])).toEqual([b]);
      expect(await world.store.findBySlug("catalog", a.slug)).toBeUndefined();
      expect(await world.store.priceHistories([a.rowId, b.rowId], 10)).toMatchObject([
        [],
        [{ priceMinor: 2000 }],
      ]);
      expect((await world.store.countBySource()).catalog).toBe(1);
    });

    test("is a change for indexes, and the only one", async () => {
      await world.store.apply([productInput("a"), productInput("b")]);
      const before = await world.store.lastSequence();
      await world.store.remove(["absent"]);
      expect(await world.store.lastSequence()).toBe(before);
      const { id, rowId } = await world.findByKey("a");
      await world.store.remove([id]);
      expect((await world.store.changesAfter(before, 10)).map((change) => change.rowId)).toEqual([rowId]);
      expect(await world.store.lastSequence()).toBeGreaterThan(before);
    });

    test("never uses a row id twice: a product that is imported again is a new one without a history", async () => {
      await world.store.apply([productInput("a"), productInput("b", { priceMinor: 900 })]);
      const { id, rowId } = await world.findByKey("b");
      await world.store.remove([id]);
      world.nowMs += dayMs;
      expect(await world.store.apply([productInput("b")])).toEqual(["created"]);
      const again = await world.findByKey("b");
      expect(again).toMatchObject({ id, createdAtMs: world.nowMs, discountVal: 0 });
      expect(again.rowId).toBeGreaterThan(rowId);
      expect((await world.store.priceHistories([again.rowId], 10))[0]).toHaveLength(1);
      expect(await world.store.findByIds([id, await idOf("a")])).toMatchObject([{ key: "b" }, { key: "a" }]);
    });

    test("removes nothing for an import whose lease is lost", async () => {
      await world.store.apply([productInput("a")]);
      const removal = world.store.remove([await idOf("a")], { owner: "nobody", position: 1, startedAtMs: 0 });
      await expect(removal).rejects.toThrow(ImportLeaseLostError);
      expect(await world.store.scan(0, 10)).toHaveLength(1);
    });
  });
}
