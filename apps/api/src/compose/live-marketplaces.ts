import { type Marketplace, marketplaces } from "@product-search/core/ports/marketplace-source.ts";
import type { Config } from "../config.ts";

/** The live marketplaces; the others are searched in their imported feeds. */
export function liveMarketplaces(config: Config): Marketplace[] {
  return marketplaces.filter((marketplace) => settingOf(config, marketplace) !== "feed");
}

/** "feed", or the path of a profile. */
export function settingOf(config: Config, marketplace: Marketplace): string {
  const settings: Record<Marketplace, string> = {
    "marketplace-a": config.marketplaceA,
    "marketplace-b": config.marketplaceB,
  };
  return settings[marketplace];
}
