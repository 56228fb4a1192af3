import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { encodeWeights } from "../src/descriptor/weights.ts";
import { shippedWeights, weightsFiles } from "../src/identity.ts";
import { loadBuiltInModel } from "../src/index.ts";
import { encodeJoining } from "../src/learned/learned-encoder.ts";
import { encodeCells } from "../src/objects/cells.ts";
import { readPhotographs } from "./scenes.ts";
import { trainCells } from "./train-cells.ts";
import { trainWeights } from "./train-weights.ts";

const { values } = parseArgs({
  options: { data: { type: "string" }, out: { type: "string" }, without: { type: "string" } },
});
if (values.data === undefined) {
  console.error(
    "Name the folder of the photographs: pnpm --filter @product-search/vision train --data <folder>",
  );
  process.exit(2);
}
const out = values.out ?? shippedWeights;
const started = performance.now();
const report = (step: string) =>
  console.error(`${((performance.now() - started) / 1000).toFixed(0)} s: ${step}`);
const photographs = readPhotographs(values.data).filter(({ source }) => source !== values.without);
const { small, joining } = await trainWeights(photographs, report);
mkdirSync(out, { recursive: true });
writeFileSync(weightsFiles(out).small, encodeWeights(small));
writeFileSync(weightsFiles(out).joined, encodeJoining(joining));
writeFileSync(weightsFiles(out).cells, encodeCells(await trainCells(photographs, report)));
report(`wrote small.bin, joined.bin and cells.bin to ${out}`);
console.log(loadBuiltInModel(out).id);
