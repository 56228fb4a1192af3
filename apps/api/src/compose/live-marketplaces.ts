import { type Marketplace, marketplaces } from "@product-search/core/ports/marketplace-source.ts";
import type { Config } from "../config.ts";

/** The live marketplaces; the others are searched in their imported feeds. */
export function liveMarketplaces(config: Config): Marketplace[] {
  return marketplaces.filter((marketplace) => config.marketplaces[marketplace] !== "feed");
}
