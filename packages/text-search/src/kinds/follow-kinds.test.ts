import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { productSources } from "@product-search/core/domain/fields.ts";
import type { StoredProduct } from "@product-search/core/domain/product.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import { pause } from "@product-search/core/mechanisms/retry.ts";
import type { UntilChange } from "@product-search/core/mechanisms/versions.ts";
import { storedProduct } from "@product-search/testing/array-catalog.ts";
import { expect, it, onTestFinished } from "vitest";
import { followKinds, type KindsOfCatalog, readKindVectors, saveKindVectors } from "./follow-kinds.ts";

/** Follows without the rest that grows with the time that a round took: minutes on a busy machine. */
const withoutRest: UntilChange = (_ms, signal) => pause(1, signal);

function chairsAnd(things: readonly string[]): StoredProduct[] {
  const names = [..."ABC"].flatMap((model) =>
    ["Oak Chair", ...things].map((thing) => `Model${model} ${thing}`),
  );
  return names.map((name, at) => storedProduct({ name, price: 1 }, at + 1));
}

/** A catalog whose products a test replaces. */
function openLog(products: readonly StoredProduct[]) {
  const log = {
    products,
    sequence: 1,
    faults: 0,
    lastSequence: async () => log.sequence,
    changesAfter: async () => [],
    findByRowIds: async () => [],
    countBySource: async () => ({ ...recordOf(productSources, () => 0), catalog: log.products.length }),
    async scan(after: number, limit: number) {
      if (log.faults > 0) {
        log.faults--;
        throw new Error("The database is locked.");
      }
      return log.products.filter(({ rowId }) => rowId > after).slice(0, limit);
    },
  };
  return log;
}

/** Follows until the names of the kinds pass. */
async function untilKinds(
  log: ReturnType<typeof openLog>,
  passes: (names: readonly string[]) => boolean,
  onKinds: (names: readonly string[]) => void = () => {},
): Promise<readonly unknown[]> {
  const stopping = new AbortController();
  const errors: unknown[] = [];
  const publish = ({ table }: KindsOfCatalog) => {
    const names = table.kinds.map(({ name }) => name);
    onKinds(names);
    if (passes(names)) stopping.abort();
  };
  const onError = (error: unknown) => errors.push(error);
  const folder = mkdtempSync(join(tmpdir(), "kinds-"));
  await followKinds(
    { log, file: join(folder, "kinds.bin"), publish, onError, untilChange: withoutRest },
    stopping.signal,
  );
  rmSync(folder, { recursive: true });
  return errors;
}

it("publishes the kinds, and again when the catalog has changed", async () => {
  const log = openLog(chairsAnd([]));
  const published: (readonly string[])[] = [];
  await untilKinds(
    log,
    (names) => names.includes("desk lamp"),
    (names) => {
      published.push(names);
      log.products = chairsAnd(["Desk Lamp"]);
      log.sequence++;
    },
  );
  expect(published[0]).toEqual(["oak chair"]);
  expect(published).toHaveLength(2);
});

it("takes no number of a taxonomy for a kind", async () => {
  const products = chairsAnd([]).map((product) => ({
    ...product,
    category: "443",
    categoryPaths: [["436", "443"]],
  }));
  const published: (readonly string[])[] = [];
  await untilKinds(
    openLog(products),
    () => true,
    (names) => published.push(names),
  );
  expect(published).toEqual([["oak chair"]]);
});

it("neither waits nor loads the encoder if the meanings of all kinds are saved", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kinds-"));
  const file = join(folder, "kinds.bin");
  const isLoaded: boolean[] = [];
  let waits = 0;
  const untilFree = async () => void waits++;
  const onError = (error: unknown) => expect.unreachable(String(error));
  for (const things of [["Desk Lamp"], ["Desk Lamp"], ["Desk Lamp", "Wool Rug"]]) {
    const stopping = new AbortController();
    const publish = ({ memory }: KindsOfCatalog) => {
      isLoaded.push(new Uint8Array(memory.encoder.buffer).some((byte) => byte !== 0));
      setTimeout(() => stopping.abort(), 50);
    };
    await followKinds(
      { log: openLog(chairsAnd(things)), file, publish, onError, untilFree, untilChange: withoutRest },
      stopping.signal,
    );
  }
  rmSync(folder, { recursive: true });
  expect(isLoaded).toEqual([true, false, true]);
  // Before the first kinds of all.
  expect(waits).toBe(1);
});

it("goes on after an error", async () => {
  const log = openLog(chairsAnd([]));
  log.faults = 2;
  expect(await untilKinds(log, (names) => names.includes("oak chair"))).toHaveLength(2);
});

it("reads a part of a large catalog, from its beginning to its end", async () => {
  const things = ["Chair", "Lamp", "Sofa", "Kettle", "Guitar"];
  const modelOf = (at: number) => [...String(at)].map((digit) => "abcdefghij"[Number(digit)]).join("");
  const products = Array.from({ length: 60_000 }, (_, at) =>
    storedProduct({ name: `${modelOf(at)} ${things[Math.floor(at / 12_000)]}`, price: 1 }, at + 1),
  );
  const log = openLog(products);
  let rows = 0;
  log.scan = async (after, limit) => {
    const found = products.slice(after, after + limit);
    rows += found.length;
    return found;
  };
  let found: readonly string[] = [];
  await untilKinds(log, (names) => {
    found = names;
    return true;
  });
  expect(found.toSorted()).toEqual(things.map((thing) => thing.toLowerCase()).toSorted());
  expect(rows).toBeLessThan(25_000);
});

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "kinds-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "kinds.bin");
}

const saved = { keys: ["a".repeat(28), "b".repeat(28)], vectors: Float32Array.from([0.5, -1, 2, 0]) };

it("reads what was saved", async () => {
  const file = newFile();
  expect(await readKindVectors(file)).toBeUndefined();
  await saveKindVectors(file, saved);
  expect(await readKindVectors(file)).toEqual(saved);
});

it.each([0, 9, 20, 80])("reads nothing of a file that is damaged or ends after %i bytes", async (place) => {
  const file = newFile();
  await saveKindVectors(file, saved);
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, place));
  expect(await readKindVectors(file)).toBeUndefined();
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  writeFileSync(file, bytes);
  expect(await readKindVectors(file)).toBeUndefined();
});
