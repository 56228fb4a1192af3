import { type BenchServer, call, costOf } from "./server.ts";

const index = "bench-servers";
const partSize = 5000;
const text = { type: "text", analyzer: "english" };

/** An index of one shard and one segment on a server that runs, deleted at the end. */
export async function createOpenSearchIndex(url: string, products: number): Promise<BenchServer> {
  const { origin } = new URL(url);
  const { nodes } = (await call(`${origin}/_nodes/process`, "GET")) as {
    nodes: Record<string, { process: { id: number } }>;
  };
  const pid = Object.values(nodes)[0]?.process.id ?? 0;
  await call(`${origin}/${index}?ignore_unavailable=true`, "DELETE");
  const imported = await costOf(pid, async (parts) => {
    await call(`${origin}/${index}`, "PUT", {
      settings: { number_of_shards: 1, number_of_replicas: 0, refresh_interval: "-1" },
      mappings: {
        dynamic: false,
        properties: { name: text, brand: text, description: text, category: text, price: { type: "double" } },
      },
    });
    for (const part of parts(products, partSize)) {
      const body = part
        .map(({ id, ...one }) => `{"index":{"_id":"${id}"}}\n${JSON.stringify(one)}\n`)
        .join("");
      const { errors } = (await call(`${origin}/${index}/_bulk`, "POST", body)) as { errors: boolean };
      if (errors) throw new Error("OpenSearch refused a product.");
    }
    await call(`${origin}/${index}/_forcemerge?max_num_segments=1`, "POST");
    await call(`${origin}/${index}/_refresh`, "POST");
  });
  const { _all: all } = (await call(`${origin}/${index}/_stats/store`, "GET")) as {
    _all: { primaries: { store: { size_in_bytes: number } } };
  };
  return {
    name: "OpenSearch",
    origin,
    pid,
    imported,
    diskMb: all.primaries.store.size_in_bytes / 2 ** 20,
    request({ text: query, sort, filters: { minPriceMinor: min, maxPriceMinor: max } = {} }) {
      const fields = ["name^5", "brand^3", "category^2", "description"];
      const words = { multi_match: { query, type: "cross_fields", operator: "and", fields } };
      const isBounded = min !== undefined && max !== undefined;
      const filter = isBounded ? [{ range: { price: { gte: min / 100, lte: max / 100 } } }] : [];
      return {
        method: "POST",
        path: `/${index}/_search?request_cache=false`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          size: 20,
          track_total_hits: true,
          query: { bool: { must: words, filter } },
          ...(sort === "price" && { sort: [{ price: "asc" }] }),
        }),
      };
    },
    async stop() {
      await call(`${origin}/${index}`, "DELETE");
    },
  };
}
