import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { SuggestFigures } from "./suggest/measure-suggest.ts";
import type { SuggestHttpFigures } from "./suggest/measure-suggest-http.ts";
import { runChild } from "./support/run-child.ts";
import { wholeNumber } from "./support/whole-number.ts";
import type { BuildFigures } from "./text/build-index.ts";
import { round } from "./text/figures.ts";

const help = `Usage: pnpm bench suggest [--products N] [--people N] [--no-http] [--json]

Builds the sample at that size and asks for suggestions after each letter that people type: one to three words of a name, some
with a slip. No text is asked twice, and nothing is remembered from before. In a process of its own, and over HTTP with
one thread, one request after the other.
answered: the share of texts of three letters and more for which a query was suggested.`;

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      products: { type: "string", default: "100000" },
      people: { type: "string", default: "200" },
      http: { type: "boolean", default: true },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const { products, people } = values;
  for (const name of ["products", "people"] as const) wholeNumber(`--${name}`, values[name]);
  const folder = mkdtempSync(join(tmpdir(), "bench-suggest-"));
  try {
    const built = await runChild<BuildFigures>("text/build-index", [folder, products]);
    const asked = await runChild<SuggestFigures>("suggest/measure-suggest", [folder, products, people]);
    const http = values.http
      ? await runChild<SuggestHttpFigures>("suggest/measure-suggest-http", [products, people])
      : undefined;
    const figures = {
      products: Number(products),
      buildCpuSeconds: round(built.buildCpuSeconds, 1),
      diskMb: round(built.diskMb, 0),
      texts: asked.texts,
      responded: round(asked.responded, 3),
      p50Ms: round(asked.p50Ms, 3),
      p99Ms: round(asked.p99Ms, 3),
      meanMs: round(asked.meanMs, 3),
      ...(http && { httpP50Ms: round(http.httpP50Ms, 2), httpP99Ms: round(http.httpP99Ms, 2) }),
    };
    if (values.json) console.log(JSON.stringify({ ...figures, p99MsByLetters: asked.p99MsByLetters }));
    else {
      console.table(figures);
      console.table(asked.p99MsByLetters);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}
