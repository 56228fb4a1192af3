import { readFileSync } from "node:fs";
import type { OpenDatabase } from "./adapters/database/open.ts";
import { ProfileError, parseProfile } from "./adapters/marketplace-source/http/parse-profile.ts";
import type { Profile } from "./adapters/marketplace-source/http/profile.ts";
import { secretsOf } from "./adapters/marketplace-source/http/profile-rules.ts";
import { createHttpSource } from "./adapters/marketplace-source/http.ts";
import { createSqliteDayQuota } from "./adapters/marketplace-source/sqlite-day-quota.ts";
import { createUndiciOutboundHttp } from "./adapters/outbound-http/undici.ts";
import { type Config, ConfigError, readSecret } from "./config.ts";
import type { Clock } from "./ports/clock.ts";
import {
  type Marketplace,
  type MarketplaceSource,
  marketplaces,
  type ObserveMarketplace,
} from "./ports/marketplace-source.ts";

const settingNames: Record<Marketplace, string> = {
  "marketplace-a": "MARKETPLACE_A",
  "marketplace-b": "MARKETPLACE_B",
};

/** The marketplaces that are asked live; the others are searched in what was imported. */
export function liveMarketplaces(config: Config): Marketplace[] {
  return marketplaces.filter((marketplace) => settingOf(config, marketplace) !== "feed");
}

/** Reads every profile that is in use, so that a service with a wrong one does not even start. */
export function checkMarketplaces(config: Config): void {
  const faults = liveMarketplaces(config).flatMap((marketplace) => {
    try {
      readProfile(settingOf(config, marketplace), config.currency);
      return [];
    } catch (error) {
      if (!(error instanceof ProfileError)) throw error;
      return [`${settingNames[marketplace]}: ${error.message}`];
    }
  });
  if (faults.length > 0) throw new ConfigError(faults.join("\n"));
}

/** A profile whose secrets are all set. */
export function readProfile(file: string, currency: string): Profile {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new ProfileError(`${file}: cannot be read. Write feed, or the path of a profile.`, { cause });
  }
  const profile = parseProfile(text, file, currency);
  const missing = secretsOf(profile).filter((name) => readSecret(name) === undefined);
  if (missing.length > 0) {
    throw new ProfileError(
      `${file}: ${missing.join(", ")} must be set in the environment: the profile names them under auth.`,
    );
  }
  return profile;
}

export interface LiveMarketplace {
  source: MarketplaceSource;
  close(): Promise<void>;
}

/** What the thread of one live marketplace runs. */
export function composeMarketplace(
  config: Config,
  { database, clock }: { database: OpenDatabase; clock: Clock },
  marketplace: Marketplace,
  observe: ObserveMarketplace,
): LiveMarketplace {
  const outboundHttp = createUndiciOutboundHttp({
    allowNetworks: config.fetchAllowNetworks,
    httpsOnly: true,
  });
  const source = createHttpSource({
    marketplace,
    profile: readProfile(settingOf(config, marketplace), config.currency),
    secret: (name) => readSecret(name) ?? "",
    outboundHttp,
    dayQuota: createSqliteDayQuota({ connection: database.connection, clock, marketplace }),
    clock,
    observe,
  });
  return { source, close: () => outboundHttp.close() };
}

function settingOf(config: Config, marketplace: Marketplace): string {
  return marketplace === "marketplace-a" ? config.marketplaceA : config.marketplaceB;
}
