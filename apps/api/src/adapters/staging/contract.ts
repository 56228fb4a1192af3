import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProductInput } from "../../domain/product.ts";
import type { StagingArea } from "../../ports/staging.ts";

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

/** What every staging area must do. */
export function describeStagingArea(
  openArea: () => Promise<{ area: StagingArea; remove(): Promise<void> }>,
): void {
  let area: StagingArea;
  let remove: () => Promise<void>;
  beforeEach(async () => {
    ({ area, remove } = await openArea());
  });
  afterEach(() => remove());

  async function seal(...rows: (ProductInput | string)[]): Promise<string> {
    const file = await area.create();
    for (const row of rows) {
      if (typeof row === "string") file.addSeen(row);
      else file.add(row);
    }
    await file.seal();
    file.close();
    return file.name;
  }
  async function open(name: string) {
    const file = await area.open(name);
    if (file === undefined) throw new Error("The file is gone.");
    return file;
  }

  describe("a sealed file", () => {
    test("gives the last row of each key, in the order of the feed", async () => {
      const file = await open(await seal(input("b"), input("a", 1), input("c"), input("a", 2)));
      expect([...file.rowsAfter(0)]).toEqual([
        { position: 1, input: input("b") },
        { position: 3, input: input("c") },
        { position: 4, input: input("a", 2) },
      ]);
      expect(file.countAfter(0)).toBe(3);
      file.close();
    });

    test("goes on after a position", async () => {
      const file = await open(await seal(input("a"), input("b"), input("c")));
      expect([...file.rowsAfter(2)].map((row) => row.input.key)).toEqual(["c"]);
      expect([file.countAfter(2), file.countAfter(3)]).toEqual([1, 0]);
      file.close();
    });

    test("remembers refused rows as seen, and lets none of them hide a good one", async () => {
      const file = await open(await seal(input("a"), "a", "b"));
      expect([...file.rowsAfter(0)].map((row) => row.input.key)).toEqual(["a"]);
      expect([file.has("a"), file.has("b"), file.has("c")]).toEqual([true, true, false]);
      file.close();
    });

    test("holds many more rows than are read at once", async () => {
      const file = await open(await seal(...Array.from({ length: 5000 }, (_, at) => input(`k${at}`))));
      expect([...file.rowsAfter(0)]).toHaveLength(5000);
      file.close();
    });

    test("takes no more rows", async () => {
      const file = await open(await seal(input("a")));
      expect(() => file.add(input("b"))).toThrow("no more rows");
      file.close();
    });
  });

  test("clearing removes every file but the one named", async () => {
    const [kept, left] = [await seal(input("a")), await seal(input("b"))];
    await area.clear(kept);
    expect(await area.open(left)).toBeUndefined();
    (await open(kept)).close();
    await area.clear();
    expect(await area.open(kept)).toBeUndefined();
  });
}
