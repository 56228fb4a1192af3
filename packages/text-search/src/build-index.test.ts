import { firstProduct } from "@product-search/core/domain/next-product.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { english } from "@product-search/text-index";
import { expect, it } from "vitest";
import { type BuildPart, buildIndex, buildPart } from "./build-index.ts";

/** A catalog with these rows; between them, products were removed. */
function catalogOf(rowIds: readonly number[]) {
  const products = rowIds
    .toSorted((one, other) => one - other)
    .map((rowId) => ({ ...firstProduct(fakeMug("catalog", rowId), 0).product, rowId }));
  return {
    scan: async (after: number, limit: number) =>
      products.filter(({ rowId }) => rowId > after).slice(0, limit),
  };
}

const partRows = 10;
const everything = 10_000;

const numbers = (from: number, through: number) =>
  Array.from({ length: through - from + 1 }, (_, n) => from + n);

it.each([
  ["no product", []],
  ["one part", numbers(1, 10)],
  ["one product more", numbers(1, 11)],
  ["some parts", numbers(1, 47)],
  ["more parts than a byte counts", numbers(1, 2565)],
  ["products that were removed", [...numbers(3, 8), 11, 29, ...numbers(35, 42)]],
])("has the same bytes, wherever its parts are built: %s", async (_, rowIds) => {
  const log = catalogOf(rowIds);
  const there: BuildPart = (rows) => buildPart(log, [english], rows);
  const { segment: atOnce } = await buildIndex(log, [english], undefined, everything);
  for (const elsewhere of [undefined, { build: there, onError: expect.fail }]) {
    const { segment: inParts } = await buildIndex(log, [english], elsewhere, partRows);
    expect(inParts && Buffer.from(inParts.buffer)).toEqual(atOnce && Buffer.from(atOnce.buffer));
  }
});

it("asks for parts elsewhere only if there are several, and builds here what fails there", async () => {
  const asked: number[] = [];
  const errors: unknown[] = [];
  const elsewhere = {
    async build({ after }: { after: number }): Promise<undefined> {
      asked.push(after);
      throw new Error("no memory");
    },
    onError: (error: unknown) => void errors.push(error),
  };
  const few = catalogOf([1, 2, partRows]);
  await buildIndex(few, [english], elsewhere, partRows);
  expect(asked).toEqual([]);

  const many = catalogOf(Array.from({ length: 35 }, (_, n) => n + 1));
  const { segment: built } = await buildIndex(many, [english], elsewhere, partRows);
  expect(asked[0]).toBe(partRows);
  expect(errors).toHaveLength(asked.length);
  const { segment: atOnce } = await buildIndex(many, [english], undefined, everything);
  expect(built && Buffer.from(built.buffer)).toEqual(atOnce && Buffer.from(atOnce.buffer));
});
