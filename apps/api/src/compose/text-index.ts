import { join } from "node:path";
import {
  type CatalogFollower,
  type FollowCatalogSettings,
  followCatalog,
} from "../adapters/text-search/follow-catalog.ts";
import { createGcPressure } from "../adapters/text-search/gc-pressure.ts";
import type { Config } from "../config.ts";
import type { Stores } from "./stores.ts";

/** Keeps the text index abreast of the catalog; resolves when it is complete. */
export function composeTextIndex(
  config: Config,
  stores: Stores,
  parts: Pick<FollowCatalogSettings, "publish" | "onSaveError">,
): Promise<CatalogFollower> {
  const folder = stores.nodeCopy?.indexFolder("text-index") ?? join(config.dataDir, "text-index");
  return followCatalog({ log: stores.searchedCatalog, folder, ...parts });
}

/** For a thread that passes snapshots of the text index on. */
export const composeGcPressure = createGcPressure;
