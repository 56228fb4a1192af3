// Runs as a separate process that writes to the database next to the service, like an import: one batch per message.
import { composeSqliteStores } from "@product-search/api/compose/stores/sqlite-stores.ts";
import { readConfig } from "@product-search/api/config.ts";
import { lowerPriority } from "@product-search/api/runtime/thread-priority.ts";
import { applyPaced } from "@product-search/features/catalog/apply-paced.ts";
import { imageless } from "./text-service.ts";

export interface WrittenBatch {
  readonly committedAtMs: number;
}

const [dataDir = "", products = "0", batch = "0"] = process.argv.slice(2);
lowerPriority();
const stores = await composeSqliteStores(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "silent" }));

/** One product of the batch, the last one that the trial search can find, gets a name with the mark. */
process.on("message", async ({ round, mark }: { round: number; mark: string }) => {
  const nowMs = Date.now();
  const changed = Array.from({ length: Number(batch) }, (_, i) =>
    imageless((round * Number(batch) + i) % Number(products), nowMs),
  );
  const marked = changed.findLast(({ source }) => source === "catalog");
  const inputs = changed.map((product) => ({
    ...product,
    name: `${product.name} ${product === marked ? mark : `edition ${round}`}`,
  }));
  for await (const _ of applyPaced(inputs, (some) => stores.catalogStore.apply(some)));
  const written: WrittenBatch = { committedAtMs: Date.now() };
  process.send?.(written);
});
process.on("disconnect", () => void stores.close());
process.send?.("ready");
