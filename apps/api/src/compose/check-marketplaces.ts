import { type Config, ConfigError, marketplaceSetting } from "../config.ts";
import { liveMarketplaces } from "./live-marketplaces.ts";

/**
 * Reads every profile in use, so that a service with an invalid one does not start. The code that reads profiles is loaded
 * only if there is one.
 */
export async function checkMarketplaces(config: Config): Promise<void> {
  const live = liveMarketplaces(config);
  if (live.length === 0) return;
  const { readProfile, ProfileError } = await import("./marketplace.ts");
  const faults = live.flatMap((marketplace) => {
    try {
      readProfile(config.marketplaces[marketplace], config.currency);
      return [];
    } catch (error) {
      if (!(error instanceof ProfileError)) throw error;
      return [`${marketplaceSetting(marketplace)}: ${error.message}`];
    }
  });
  if (faults.length > 0) throw new ConfigError(faults.join("\n"));
}
