import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fieldsOf } from "../rehearsal/json-fields.ts";
import { runCommand } from "../rehearsal/load/imports.ts";
import { wordOf } from "../rehearsal/load/products.ts";
import { totalOf } from "../rehearsal/load/replies.ts";
import { writeSampleFeed } from "../support/sample-feed.ts";
import type { BenchCluster } from "./bench-cluster.ts";

const importTimeoutMs = 3 * 3600_000;
const findTimeoutMs = 3 * 3600_000;

/** Writes a feed of the first sample products with new prices. Returns the function that imports it. */
export async function prepareImport(cluster: BenchCluster, products: number): Promise<() => Promise<void>> {
  cluster.feeds += 1;
  const word = wordOf(cluster.feeds);
  const path = join(cluster.folder, "feed.jsonl");
  // Without images, which would have to be described, and with another price each time.
  await writeSampleFeed(path, products, ({ originalPriceMinor: _, ...product }) => ({
    ...product,
    priceMinor: product.priceMinor + cluster.feeds,
    description: `${product.description} ${word}`,
    images: [],
  }));
  return async () => {
    const args = ["import", path, "--source", "catalog", "--json"];
    const summary = fieldsOf(await runCommand(args, cluster.commandEnvironment, importTimeoutMs));
    const stored = Number(summary.created) + Number(summary.updated);
    if (stored !== products) throw new Error(`${stored} of ${products} products were imported.`);
    rmSync(path);
    await untilFound(cluster, word, products);
  };
}

/** Until each node finds all products with the word. */
async function untilFound({ client, nodes, signal }: BenchCluster, word: string, products: number) {
  const path = `/api/v1/search/catalog?count=1&literal=true&q=${word}`;
  const deadline = performance.now() + findTimeoutMs;
  for (const node of nodes()) {
    while (totalOf(await client.requestFrom(node, path)) !== products) {
      signal.throwIfAborted();
      if (performance.now() > deadline) throw new Error(`${node.name} does not find all imported products.`);
      await delay(100);
    }
  }
}
