import { productId } from "@product-search/core/domain/identity.ts";
import type { FeedChange, ProductInput } from "@product-search/core/domain/product.ts";
import type { StagingArea } from "@product-search/core/ports/imports.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

const never = new AbortController().signal;

function input(key: string, priceMinor = 1): ProductInput {
  return {
    source: "catalog",
    key,
    name: `Lamp ${key}`,
    storeName: "S",
    description: "",
    url: "/x",
    images: ["/1.jpg"],
    priceMinor,
    availability: "in_stock",
  };
}

function byIdentifier(one: { change: FeedChange }, other: { change: FeedChange }): number {
  const [first, second] = [one, other].map(({ change: { source, key } }) => productId(source, key));
  return (first ?? "") < (second ?? "") ? -1 : 1;
}

/** Tests for every staging area, for which every process is dead. */
export function describeStagingArea(
  openArea: () => Promise<{ area: StagingArea; remove(): Promise<void> }>,
): void {
  let area: StagingArea;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ area, remove } = await openArea());
  });
  afterEach(() => remove());

  async function seal(...rows: (FeedChange | string)[]): Promise<string> {
    const file = await area.create("catalog");
    for (const row of rows) {
      if (typeof row === "string") file.addSeen("catalog", row);
      else file.add(row);
    }
    await file.seal(never);
    await file.share(never);
    file.close();
    return file.name;
  }
  async function open(name: string) {
    const file = await area.open(name);
    if (file === undefined) throw new Error("The file is gone.");
    return file;
  }

  describe("a sealed file", () => {
    test("returns the last row of each key, in the order of the identifiers", async () => {
      const file = await open(await seal(input("b"), input("a", 1), input("c"), input("a", 2)));
      const expected = [
        { position: 1, change: input("b") },
        { position: 3, change: input("c") },
        { position: 4, change: input("a", 2) },
      ];
      expect([...file.rowsAfter(0)]).toEqual(expected.toSorted(byIdentifier));
      expect(await file.countAfter(0)).toBe(3);
      file.close();
    });

    test("returns patches and removals unchanged", async () => {
      const patch = {
        source: "catalog",
        key: "a",
        patch: { set: { priceMinor: 5, availability: "preorder" }, removed: ["originalPriceMinor"] },
      } as const;
      const removal = { source: "catalog", key: "b", removed: true } as const;
      const file = await open(await seal(input("a"), patch, removal));
      const changes = [...file.rowsAfter(0)].map(({ change }) => change);
      expect(changes).toHaveLength(2);
      expect(changes).toEqual(expect.arrayContaining([patch, removal]));
      file.close();
    });

    test("continues after a position", async () => {
      const file = await open(await seal(input("a"), input("b"), input("c")));
      const [first, second, third] = [...file.rowsAfter(0)];
      expect([...file.rowsAfter(second?.position ?? 0)]).toEqual([third]);
      const counts = [first, second, third].map((row) => file.countAfter(row?.position ?? 0));
      expect(await Promise.all(counts)).toEqual([2, 1, 0]);
      file.close();
    });

    test("returns nothing after a position beyond all rows", async () => {
      const file = await open(await seal(input("a"), input("b")));
      expect([...file.rowsAfter(Number.MAX_SAFE_INTEGER)]).toEqual([]);
      expect(await file.countAfter(Number.MAX_SAFE_INTEGER)).toBe(0);
      file.close();
    });

    test("remembers the keys of refused rows, and none of them hides a valid row", async () => {
      const file = await open(await seal(input("a"), "a", "b"));
      expect([...file.rowsAfter(0)].map((row) => row.change.key)).toEqual(["a"]);
      expect(["a", "b", "c"].map((key) => file.has("catalog", key))).toEqual([true, true, false]);
      file.close();
    });

    test("holds many more rows than are read at once", async () => {
      const file = await open(await seal(...Array.from({ length: 5000 }, (_, at) => input(`k${at}`))));
      expect([...file.rowsAfter(0)]).toHaveLength(5000);
      file.close();
    });

    test("counts products with many rows once", async () => {
      const rows = Array.from({ length: 45_000 }, (_, at) => input(`k${at % 22_000}`));
      const file = await open(await seal(...rows));
      expect(await file.countAfter(0)).toBe(22_000);
      file.close();
    });

    test("accepts no more rows", async () => {
      const opened = await open(await seal(input("a")));
      expect(() => opened.add(input("b"))).toThrow("no more rows");
      opened.close();
      const file = await area.create("catalog");
      await file.seal(never);
      expect(() => file.add(input("b"))).toThrow("no more rows");
      file.close();
    });

    test("is not made when the import has to stop", async () => {
      const file = await area.create("catalog");
      file.add(input("a"));
      await expect(file.seal(AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
      file.close();
    });
  });

  test("clearing removes what dead processes left, except the files of sealed imports", async () => {
    const [kept, left] = [await seal(input("a")), await seal(input("b"))];
    await area.clear(async () => [kept]);
    expect(await area.open(left)).toBeUndefined();
    (await open(kept)).close();
    await area.clear(async () => []);
    expect(await area.open(kept)).toBeUndefined();
  });

  test("removing a file leaves the others", async () => {
    const [kept, left] = [await seal(input("a")), await seal(input("b"))];
    await area.remove(left);
    expect(await area.open(left)).toBeUndefined();
    (await open(kept)).close();
  });
}
