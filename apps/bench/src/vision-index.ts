import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createUsearchVectorSearch } from "@product-search/api/adapters/vector-search/usearch.ts";
import {
  createIndex,
  readVectorFile,
  writeVectorFile,
} from "@product-search/api/adapters/vector-search/vector-file.ts";
import {
  openDelta,
  type VectorSegments,
} from "@product-search/api/adapters/vector-search/vector-segments.ts";
import { similarityFloor } from "@product-search/core/domain/similarity/similarity-floor.ts";
import type { SimilarProduct } from "@product-search/core/ports/vector-search.ts";
import { createClusteredVectors } from "./images/clustered-vectors.ts";
import { wholeNumber } from "./support/whole-number.ts";

const help = `Usage: pnpm bench vision-index [--sizes LIST] [--queries N] [--threads N] [--folder DIR] [--json]

Recall@10 against exact search, latency beside exact search in the same run, build and load, memory; on random vectors in
clusters (384 dimensions, a thousand vectors a cluster), one image a product, queried by vectors that are not in the index.

  --sizes LIST   how many vectors, comma-separated (default 10000,100000; 1000000 takes a quarter of an hour)
  --queries N    (default 200)
  --threads N    of building (default 1, as the service does it)
  --folder DIR   keeps the files there, and measures those that are there already without building them`;

const dimensions = 384;
const spread = 1.2;
const perCluster = 1000;
const model = "bench";

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: "string", default: "10000,100000" },
      queries: { type: "string", default: "200" },
      threads: { type: "string", default: "1" },
      folder: { type: "string" },
      json: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help) {
    console.log(help);
    return;
  }
  const sizes = values.sizes.split(",").map((size) => wholeNumber("--sizes", size));
  const queries = wholeNumber("--queries", values.queries);
  const threads = wholeNumber("--threads", values.threads);
  const rows: object[] = [];
  for (const size of sizes) rows.push(await measure(size, queries, threads, values.folder));
  if (values.json) console.log(JSON.stringify(rows));
  else console.table(rows);
}

async function measure(size: number, queryCount: number, threads: number, keptIn: string | undefined) {
  const folder =
    keptIn === undefined ? mkdtempSync(join(tmpdir(), "vision-index-")) : join(keptIn, String(size));
  try {
    const { vector } = createClusteredVectors(dimensions, Math.ceil(size / perCluster), spread);
    const kept = readVectorFile(folder).file;
    const build = timed(() => kept ?? buildFile(folder, size, vector, threads));
    const queries = Array.from({ length: queryCount }, (_, n) => vector(size + n));
    const rssBefore = process.memoryUsage.rss();
    const opened = timed(() => openSearch(folder, build.result.file, size));
    const search = opened.result;
    const find = (query: Float32Array) =>
      search.search({ vector: query, limit: 50, minSimilarity: similarityFloor });
    for (const query of queries) await find(query);
    const found: { result: SimilarProduct[]; ms: number }[] = [];
    for (const query of queries) {
      const startedAt = performance.now();
      const result = await find(query);
      found.push({ result, ms: performance.now() - startedAt });
    }
    const exact = exactSearch(size, vector, queries);
    const hits = found.map(({ result }, at) => {
      const wanted = exact.best[at] ?? [];
      const first = new Set(result.slice(0, 10).map(({ rowId }) => rowId - 1));
      return wanted.filter((n) => first.has(n)).length / wanted.length;
    });
    const times = found.map(({ ms }) => ms).sort((one, other) => one - other);
    return {
      vectors: size,
      recallAt10: round(hits.reduce((sum, hit) => sum + hit, 0) / hits.length),
      p50Ms: round(times[Math.floor(times.length / 2)] ?? 0),
      p99Ms: round(times[Math.floor(times.length * 0.99)] ?? 0),
      exactMs: round(exact.msPerQuery),
      ...(kept === undefined && { msPerAdd: round(build.ms / size) }),
      fileMB: round(build.result.bytes / 1e6),
      viewMs: round(opened.ms),
      viewMB: round((process.memoryUsage.rss() - rssBefore) / 1e6),
    };
  } finally {
    if (keptIn === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function buildFile(folder: string, size: number, vector: (n: number) => Float32Array, threads: number) {
  const index = createIndex(dimensions);
  const batch = 1000;
  for (let from = 0; from < size; from += batch) {
    const count = Math.min(batch, size - from);
    const vectors = new Float32Array(count * dimensions);
    for (let n = 0; n < count; n++) vectors.set(vector(from + n), n * dimensions);
    // Keys as in the service: sixteen per product.
    const keys = BigUint64Array.from({ length: count }, (_, n) => BigInt(from + n + 1) * 16n);
    index.add(keys, vectors, threads);
  }
  return writeVectorFile(folder, index, { model, dimensions, sequence: 1, maxRowId: size + 1 });
}

function openSearch(folder: string, file: string, size: number) {
  const capacity = 4096;
  const segments: VectorSegments = {
    model,
    dimensions,
    base: { path: join(folder, file), vectors: size },
    delta: new SharedArrayBuffer(16 + capacity * 4 * (1 + dimensions)),
    removed: new SharedArrayBuffer((size >>> 3) + 1),
    typicalSimilarity: 0,
  };
  // The delta is half full, as it is on average while a catalog changes.
  const delta = openDelta(segments.delta, dimensions);
  const unlike = new Float32Array(dimensions);
  for (let row = 0; row < capacity / 2; row++) delta.append(size + 2 + row, unlike);
  return createUsearchVectorSearch({ subscribe: (receive) => receive(segments) });
}

/** A full scan of newly generated vectors; only the comparison is timed. */
function exactSearch(size: number, vector: (n: number) => Float32Array, queries: readonly Float32Array[]) {
  const best = queries.map((): { n: number; similarity: number }[] => []);
  let ms = 0;
  const chunk = 4096;
  for (let from = 0; from < size; from += chunk) {
    const vectors = Array.from({ length: Math.min(chunk, size - from) }, (_, n) => vector(from + n));
    const startedAt = performance.now();
    for (const [at, query] of queries.entries()) {
      const own = best[at] ?? [];
      for (const [n, candidate] of vectors.entries()) {
        const similarity = dot(candidate, query);
        if (own.length < 10 || similarity > (own[9]?.similarity ?? -1))
          insert(own, { n: from + n, similarity });
      }
    }
    ms += performance.now() - startedAt;
  }
  return { best: best.map((own) => own.map(({ n }) => n)), msPerQuery: ms / queries.length };
}

function insert<Hit extends { similarity: number }>(best: Hit[], hit: Hit): void {
  const at = best.findIndex(({ similarity }) => similarity < hit.similarity);
  best.splice(at < 0 ? best.length : at, 0, hit);
  if (best.length > 10) best.pop();
}

function dot(one: Float32Array, other: Float32Array): number {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let i = 0; i < dimensions; i += 4) {
    a += (one[i] as number) * (other[i] as number);
    b += (one[i + 1] as number) * (other[i + 1] as number);
    c += (one[i + 2] as number) * (other[i + 2] as number);
    d += (one[i + 3] as number) * (other[i + 3] as number);
  }
  return a + b + c + d;
}

function timed<Result>(work: () => Result): { result: Result; ms: number } {
  const startedAt = performance.now();
  const result = work();
  return { result, ms: performance.now() - startedAt };
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
