import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { FacetFigures } from "./facets/measure-facets.ts";
import { runChild } from "./support/run-child.ts";
import { wholeNumber } from "./support/whole-number.ts";
import type { BuildFigures } from "./text/build-index.ts";
import { round } from "./text/figures.ts";

const help = `Usage: pnpm bench facets [--products N] [--queries N] [--json]

Builds the sample at that size and asks searches of the catalog without facets and with all of them (those of five attributes among
them), each facet's counts ignoring its own filter: the mixed queries of "pnpm bench text", and searches with choices among the facets. Each is asked five times in
turn, and the fastest of each counts. ratio is that of the means. firstMeanMs and firstWithFacetsMeanMs: the
first time, before the index has kept any count.`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      products: { type: "string", default: "100000" },
      queries: { type: "string", default: "200" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const { products, queries } = values;
  for (const name of ["products", "queries"] as const) wholeNumber(`--${name}`, values[name]);
  const folder = mkdtempSync(join(tmpdir(), "bench-facets-"));
  try {
    await runChild<BuildFigures>("text/build-index", [folder, products, "five"]);
    const { byKind, ...all } = await runChild<FacetFigures>("facets/measure-facets", [
      folder,
      products,
      queries,
    ]);
    const figures = {
      products: Number(products),
      ...Object.fromEntries(Object.entries(all).map(([name, value]) => [name, round(value, 3)])),
    };
    const kinds = Object.fromEntries(
      Object.entries(byKind).map(([kind, { meanMs, withFacetsMeanMs, ratio }]) => [
        kind,
        { meanMs: round(meanMs, 3), withFacetsMeanMs: round(withFacetsMeanMs, 3), ratio: round(ratio, 2) },
      ]),
    );
    if (values.json) console.log(JSON.stringify({ ...figures, byKind: kinds }));
    else {
      console.table(figures);
      console.table(kinds);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
