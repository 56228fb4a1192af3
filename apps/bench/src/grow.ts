import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { plot } from "./grow/plot.ts";
import { runChild } from "./support/run-child.ts";
import { wholeNumber } from "./support/whole-number.ts";
import type { BuildFigures } from "./text/build-index.ts";
import { round } from "./text/figures.ts";
import type { IndexFigures } from "./text/measure-index.ts";

const chartFile = fileURLToPath(new URL("../../../docs/measurements/text-index.svg", import.meta.url));

const help = `Usage: pnpm bench grow [--sizes N,N,…] [--queries N] [--seconds N] [--svg] [--json]

How the figures of the text index grow with the catalog: builds the sample at each size (default 20000, 100000, 1000000 and
4000000; the last needs about 4 GB of memory and five minutes) and asks the mixed queries of \`pnpm bench text\`, 1000 unless
--queries says otherwise, none of them twice.
--svg: draws them into docs/measurements/text-index.svg. Both axes are logarithmic: a diagonal grows as the catalog does.`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: "string", default: "20000,100000,1000000,4000000" },
      queries: { type: "string", default: "1000" },
      seconds: { type: "string", default: "3" },
      svg: { type: "boolean" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return console.log(help);
  const sizes = values.sizes.split(",").map((size) => wholeNumber("--sizes", size));
  for (const name of ["queries", "seconds"] as const) wholeNumber(`--${name}`, values[name]);
  const rows: GrowthFigures[] = [];
  for (const products of sizes) {
    console.error(`${products} products …`);
    rows.push(await measure(products, values.queries, values.seconds));
  }
  if (values.json) console.log(JSON.stringify(rows));
  else console.table(rows);
  if (!values.svg) return;
  writeFileSync(chartFile, plot("products", sizes, panelsOf(rows)));
  console.error(`Wrote ${chartFile}`);
}

async function measure(products: number, queries: string, seconds: string) {
  const folder = mkdtempSync(join(tmpdir(), "bench-grow-"));
  try {
    const size = String(products);
    const built = await runChild<BuildFigures>("text/build-index", [folder, size]);
    const read = await runChild<IndexFigures>("text/measure-index", [folder, size, queries, seconds]);
    return {
      products,
      "mean query, ms": round(read.meanMs, 3),
      "99th percentile, ms": round(read.p99Ms, 2),
      "queries a second, one thread": round(read.qps1, 0),
      "queries a second, two threads": round(read.qps2, 0),
      "build, s": round(built.buildSeconds, 1),
      "opening, s": round(read.loadSeconds, 3),
      "on disk, MB": round(built.diskMb, 1),
      "resident, MB": round(read.rssMb, 0),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type GrowthFigures = Awaited<ReturnType<typeof measure>>;

/** The values of each figure, in the order of the sizes. */
function panelsOf(rows: readonly GrowthFigures[]): Map<string, number[]> {
  const panels = new Map<string, number[]>();
  for (const { products: _, ...figures } of rows)
    for (const [title, value] of Object.entries(figures))
      panels.set(title, [...(panels.get(title) ?? []), value]);
  return panels;
}
