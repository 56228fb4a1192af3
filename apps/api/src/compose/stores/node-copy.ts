import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type CatalogCopy, openCatalogCopy } from "@product-search/stores/catalog-copy/open-catalog-copy.ts";
import { assertUndamaged, isDamage } from "@product-search/stores/database/damage.ts";
import { storeFile } from "@product-search/stores/database/open.ts";
import type { Config } from "../../config.ts";

/** This node's copy of the catalog, and the folders of data derived from it. */
export interface NodeCopy extends CatalogCopy {
  /** The folder for an index of the current copy. Data derived from former copies is removed. */
  indexFolder(name: string): string;
  /** Resolves when the whole catalog has been copied once. */
  untilComplete(): Promise<void>;
  /** Calls the listener when the copy starts again. Returns the function to unsubscribe. */
  onBegunAnew(listener: () => void): () => void;
}

const lookEveryMs = 200;

function copyFolder({ dataDir }: Pick<Config, "dataDir">): string {
  return join(dataDir, "copy");
}

/** Removes a copy that is damaged, and what was made from it: it is copied again. Call it before anything opens it. */
export async function removeDamagedCopy(config: Pick<Config, "dataDir">): Promise<void> {
  const folder = copyFolder(config);
  if (!existsSync(folder)) return;
  try {
    const { connection, close } = await openCatalogCopy(folder);
    await assertUndamaged(connection, storeFile(folder)).finally(close);
  } catch (error) {
    if (!isDamage(error)) throw error;
    rmSync(folder, { recursive: true });
  }
}

export async function openNodeCopy({ dataDir }: Pick<Config, "dataDir">): Promise<NodeCopy> {
  const folder = copyFolder({ dataDir });
  const copy = await openCatalogCopy(folder);
  return {
    ...copy,
    indexFolder(name) {
      const wanted = `${name}-${copy.state().epoch}`;
      const former = existsSync(folder) ? readdirSync(folder) : [];
      for (const one of former) {
        if (one.startsWith(`${name}-`) && one !== wanted)
          rmSync(join(folder, one), { recursive: true, force: true });
      }
      return join(folder, wanted);
    },
    async untilComplete() {
      while (!copy.state().isComplete) await setTimeout(lookEveryMs);
    },
    onBegunAnew(listener) {
      const { epoch } = copy.state();
      const looking = setInterval(() => {
        if (copy.state().epoch !== epoch) listener();
      }, lookEveryMs);
      return () => clearInterval(looking);
    },
  };
}
