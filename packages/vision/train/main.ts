import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { decodeWeights, encodeWeights } from "../src/descriptor/weights.ts";
import { readPhotographs } from "./photographs.ts";
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
const out = values.out ?? fileURLToPath(new URL("../weights/built-in.bin", import.meta.url));
const started = performance.now();
const report = (step: string) =>
  console.error(`${((performance.now() - started) / 1000).toFixed(0)} s: ${step}`);
const photographs = readPhotographs(values.data).filter(({ source }) => source !== values.without);
const bytes = encodeWeights(await trainWeights(photographs, report));
writeFileSync(out, bytes);
report(`wrote ${(bytes.length / 1e6).toFixed(2)} MB to ${out}`);
console.log(decodeWeights(bytes, out).id);
