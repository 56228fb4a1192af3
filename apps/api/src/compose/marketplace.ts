import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Clock, steadyClock } from "@product-search/core/ports/clock.ts";
import {
  type Marketplace,
  type MarketplaceSource,
  marketplaces,
  type ObserveMarketplace,
} from "@product-search/core/ports/marketplace-source.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import {
  ProfileError,
  parseProfile,
  secretsOf,
} from "@product-search/marketplaces/http/profile/parse-profile.ts";
import type { Profile } from "@product-search/marketplaces/http/profile/profile.ts";
import { createHttpSource } from "@product-search/marketplaces/http.ts";
import { type Trial, tryProfile } from "@product-search/marketplaces/try-profile.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import { type Config, readSecret } from "../config.ts";
import { liveMarketplaces } from "./live-marketplaces.ts";
import { composeStores } from "./stores/stores.ts";

/** A profile with all its secrets set. */
export function readProfile(file: string, currency: string): Profile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new ProfileError(`${file}: cannot be read. Set it to feed, or to the path of a profile.`, {
      cause,
    });
  }
  const profile = parseProfile(text, file, currency);
  const missing = secretsOf(profile).filter((name) => readSecret(name) === undefined);
  if (missing.length > 0) {
    throw new ProfileError(
      `${file}: ${missing.join(", ")} must be set in the environment: the profile uses them under auth.`,
    );
  }
  return profile;
}

export { ProfileError, type Trial };

export interface LiveMarketplace {
  source: MarketplaceSource;
  close(): Promise<void>;
}

/** The work of a live marketplace's thread. It opens the database itself, only for the daily quota. */
export async function composeMarketplace(
  config: Config,
  clock: Clock,
  marketplace: Marketplace,
  observe: ObserveMarketplace,
): Promise<LiveMarketplace> {
  const stores = await composeStores(config, clock);
  const outboundHttp = composeMarketplaceHttp(config);
  const source = createHttpSource({
    marketplace,
    profile: readProfile(config.marketplaces[marketplace], config.currency),
    secret: secretOrNothing,
    outboundHttp,
    dayQuota: stores.dayQuota(marketplace),
    secondQuota: stores.secondQuota?.(marketplace),
    // Its cache, its pauses and its circuit.
    clock: steadyClock,
    observe,
  });
  return {
    source,
    async close() {
      await outboundHttp.close();
      await stores.close();
    },
  };
}

/**
 * One request of a profile, to show to people. It counts towards the quota of the marketplace that uses the profile.
 */
export async function tryMarketplace(
  config: Config,
  clock: Clock,
  { file, text, count }: { file: string; text: string; count: number },
): Promise<Trial> {
  const profile = readProfile(file, config.currency);
  const user = liveMarketplaces(config).find((one) => resolve(config.marketplaces[one]) === resolve(file));
  // The quota is counted in the store of the service. A profile that it does not use needs no store.
  const stores = user && (await composeStores(config, clock));
  const outboundHttp = composeMarketplaceHttp(config);
  const marketplace = user ?? marketplaces[0];
  const settings = {
    profile,
    marketplace,
    secret: secretOrNothing,
    outboundHttp,
    dayQuota: stores ? stores.dayQuota(marketplace) : { take: async (_: number, count: number) => count },
    secondQuota: stores?.secondQuota?.(marketplace),
    clock,
  };
  try {
    return await tryProfile(settings, text, count);
  } finally {
    await outboundHttp.close();
    await stores?.close();
  }
}

/** https, or plain http inside the networks that the operator allows. */
function composeMarketplaceHttp({ fetchAllowNetworks }: Config): OutboundHttp {
  return createUndiciOutboundHttp({ allowNetworks: fetchAllowNetworks, httpsOnly: true });
}

/** Profiles with a missing secret have already been refused. */
function secretOrNothing(name: string): string {
  return readSecret(name) ?? "";
}
