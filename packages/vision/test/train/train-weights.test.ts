import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { decodeWeights, encodeWeights } from "../../src/descriptor/weights.ts";
import { decodeJoining, encodeJoining } from "../../src/learned/learned-encoder.ts";
import { encodeCells } from "../../src/objects/cells.ts";
import { readPhotographs } from "../../train/scenes.ts";
import { trainCells } from "../../train/train-cells.ts";
import { trainWeights } from "../../train/train-weights.ts";
import { bottle, circleShape, drawing, shirtShape } from "../images.ts";

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "photographs-"));
  mkdirSync(join(folder, "drawings"));
  const rows = ["file,product,class,view"];
  for (const [index, shape] of [shirtShape, bottle, circleShape].entries()) {
    for (const [view, colour] of ["#a11", "#171"].entries()) {
      const file = `${index}${view}.png`;
      writeFileSync(join(folder, "drawings", file), await drawing(shape, colour, "#fff").png().toBuffer());
      rows.push(`${file},product-${index},drawing,${view}`);
    }
  }
  writeFileSync(join(folder, "drawings", "manifest.csv"), rows.join("\n"));
});
afterAll(() => rmSync(folder, { recursive: true }));

it("learns exactly the same weights from the same photographs", async () => {
  const photographs = readPhotographs(folder);
  expect(photographs.map(({ product }) => product)).toEqual([
    "product-0",
    "product-0",
    "product-1",
    "product-1",
    "product-2",
    "product-2",
  ]);
  const [first, second] = await Promise.all([train(photographs), train(photographs)]);
  expect(second.small.equals(first.small)).toBe(true);
  expect(second.joined.equals(first.joined)).toBe(true);
  const { trainedOn, projection } = decodeWeights(first.small, "new weights");
  expect(new Set(trainedOn).size).toBe(6);
  expect(projection.rows.some((value) => value !== 0)).toBe(true);
  expect(projection.rows.every(Number.isFinite)).toBe(true);
  const joined = decodeJoining(first.joined, "new weights").projection.rows;
  expect(joined.some((value) => value !== 0)).toBe(true);
  expect(joined.every(Number.isFinite)).toBe(true);
});

it("learns exactly the same boxes from the same photographs", async () => {
  const photographs = readPhotographs(folder);
  const size = { scenes: 8, cellsPerScene: 16, judgedScenes: 2 };
  const first = await trainCells(photographs, () => {}, size);
  const second = await trainCells(photographs, () => {}, size);
  expect(encodeCells(second).equals(encodeCells(first))).toBe(true);
  expect(Object.values(first).every((part: Float32Array) => part.every(Number.isFinite))).toBe(true);
  // Outside of objects a cell is taught 0, so that few cells are sure at first.
  expect(first.outputBias[0]).toBeLessThan(0);
  expect(first.evidence.some((weight) => weight !== 0)).toBe(true);
});

async function train(photographs: Parameters<typeof trainWeights>[0]) {
  const { small, joining } = await trainWeights(photographs, () => {});
  return { small: encodeWeights(small), joined: encodeJoining(joining) };
}
