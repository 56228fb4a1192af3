// Tantivy, the Rust library, with the same products and queries. Its program is built from `peers/tantivy` by cargo.
import { execFile } from "node:child_process";
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fieldWeights } from "@product-search/text-index";
import { runChild } from "../support/whole-number.ts";
import type { BuildFigures } from "./build-index.ts";
import { round, timingOf } from "./figures.ts";
import type { IndexFigures } from "./measure-index.ts";
import { exactQueries } from "./mixed-queries.ts";
import { sampleDocuments, searchedTexts } from "./sample-documents.ts";

const execute = promisify(execFile);
const peerFolder = fileURLToPath(new URL("../../peers/tantivy", import.meta.url));
/** It is there once `buildPeer` has succeeded on this machine. */
export const peerProgram = join(peerFolder, "target/release/tantivy-peer");

/** Both with the queries that both can answer. */
export interface PeerFigures {
  readonly read: IndexFigures;
  readonly tantivy: TantivyFigures;
}

interface TantivyFigures {
  readonly buildSeconds: number;
  readonly diskBytes: number;
  readonly milliseconds: readonly number[];
  readonly totals: readonly number[];
  readonly qps1: number;
  readonly qps2: number;
  readonly residentMb: number | null;
}

/** Whether the peer is there. If not, it says why: on standard error, because standard output may be JSON. */
export async function buildPeer(): Promise<boolean> {
  console.error("cargo builds apps/bench/peers/tantivy, which takes a minute or more the first time.");
  try {
    const args = ["build", "--release", "--locked", "--quiet", "--target-dir", "target"];
    await execute("cargo", args, { cwd: peerFolder, maxBuffer: 2 ** 26 });
    return true;
  } catch (error) {
    console.error(`SKIPPED: pnpm bench text --vs tantivy | ${reasonOf(error)}`);
    return false;
  }
}

/** `cargo` writes what failed in a line that begins with "error", or another program in the last line. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error) || !("stderr" in error)) throw error;
  if ("code" in error && error.code === "ENOENT") return "there is no cargo on PATH";
  const lines = String(error.stderr).trim().split("\n");
  return `cargo cannot build the peer: ${lines.find((line) => line.startsWith("error")) ?? lines.at(-1)}`;
}

export async function measureTantivy(
  folder: string,
  ourIndex: string,
  [products, count, seconds]: readonly [number, number, number],
): Promise<PeerFigures> {
  const ours = [ourIndex, products, count, seconds, "exact"].map(String);
  const read = await runChild<IndexFigures>("text/measure-index", ours);
  const documents = join(folder, "tantivy.jsonl");
  const index = join(folder, "tantivy");
  const queries = join(folder, "queries.json");
  writeDocuments(documents, products);
  const of = (...seeds: number[]) =>
    seeds.flatMap((seed) => exactQueries(count, products, seed)).map(({ query }) => query);
  const weights = Object.fromEntries(fieldWeights.map(({ field, weight }) => [field, weight]));
  // The same as in `measure-index.ts`.
  const task = { weights, seconds, warmUp: of(1, 2, 3), timed: of(0), threads: [of(4, 5, 6), of(7, 8, 9)] };
  writeFileSync(queries, JSON.stringify(task));
  const built = await runPeer("build", documents, index);
  return { read, tantivy: { ...built, ...(await runPeer("query", index, queries)) } };
}

async function runPeer(...args: string[]) {
  const { stdout } = await execute(peerProgram, args, { maxBuffer: 2 ** 26 });
  return JSON.parse(stdout);
}

/** As JSON Lines. */
function writeDocuments(path: string, products: number): void {
  const file = openSync(path, "w");
  for (const document of sampleDocuments(products)) {
    const { id, priceMinor: price } = document;
    writeSync(file, `${JSON.stringify({ id, price, ...searchedTexts(document) })}\n`);
  }
  closeSync(file);
}

/** Ours, Tantivy's, and Tantivy's divided by ours. */
export function besideTantivy(built: BuildFigures, { read, tantivy }: PeerFigures) {
  const { meanMs, p99Ms } = timingOf(tantivy.milliseconds);
  const row = (ours: number, theirs: number, digits: number) => ({
    ours: round(ours, digits),
    tantivy: round(theirs, digits),
    ratio: round(theirs / ours, 2),
  });
  return {
    buildSeconds: row(built.buildSeconds - built.sampleSeconds, tantivy.buildSeconds, 2),
    diskMb: row(built.diskMb, tantivy.diskBytes / 2 ** 20, 2),
    ...(tantivy.residentMb !== null && { residentMb: row(read.rssMb, tantivy.residentMb, 0) }),
    meanMs: row(read.meanMs, meanMs, 3),
    p99Ms: row(read.p99Ms, p99Ms, 3),
    qps1: row(read.qps1, tantivy.qps1, 0),
    qps2: row(read.qps2, tantivy.qps2, 0),
  };
}
