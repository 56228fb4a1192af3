import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { LanguageCode } from "@product-search/core/domain/languages/languages.ts";
import { parseNetwork } from "@product-search/core/domain/networks.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import { type Marketplace, marketplaces } from "@product-search/core/ports/marketplace-source.ts";
import type { RateLimit } from "@product-search/core/ports/quotas.ts";
import {
  addressOrNetwork,
  currency,
  type FeedSetting,
  headerName,
  hostName,
  integer,
  issuer,
  languages,
  list,
  metricsToken,
  numberWithin,
  oneOf,
  optional,
  optionalPath,
  origin,
  parseFeedSettings,
  parseHeaderList,
  parseRatio,
  parseShopTokens,
  postgresUrl,
  publicUrl,
  rateLimit,
  type SearchClusterSettings,
  searchCluster,
  secretKey,
  shopToken,
  type TracingSettings,
  timeOfDay,
  toTracing,
  urlHost,
  wordOrPath,
} from "./config/setting-values.ts";

/** `MARKETPLACE_A`. */
export function marketplaceSetting(marketplace: Marketplace): string {
  return marketplace.toUpperCase().replace("-", "_");
}

export interface Config {
  host: string;
  port: number;
  /** The base URL for clients, without a trailing slash. It starts every URL in responses. */
  publicUrl: string;
  dataDir: string;
  /** URL of PostgreSQL, for a service with several nodes; without it, SQLite in `dataDir` is used. */
  databaseUrl: string | undefined;
  /** Where OpenSearch is, for indexes that are larger than a node; in memory of each node when absent. */
  search: SearchClusterSettings | undefined;
  /** Encrypts webhook keys at rest; when absent, a key file in `dataDir` does. */
  secretKey: string | undefined;
  /** Daily backups of the database in `dataDir`. */
  backups: BackupSettings | undefined;
  threads: number;
  logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** Which requests are logged. */
  logRequests: "none" | "errors" | "sampled" | "all";
  currency: string;
  /** The languages of the catalog; the first one is that of products whose language is not known. By the catalog's texts when absent. */
  languages: readonly [LanguageCode, ...LanguageCode[]] | undefined;
  /** IP addresses or networks of proxies whose X-Forwarded-For header is trusted. */
  trustProxy: readonly string[];
  /** Headers, in small letters, in which an authenticating proxy of `trustProxy` names the person and their groups. */
  authProxyHeader: string | undefined;
  authProxyGroupsHeader: string | undefined;
  corsOrigins: readonly string[];
  trialRateLimit: RateLimit | undefined;
  tokenRateLimit: RateLimit | undefined;
  publicRateLimit: RateLimit | undefined;
  /** By address, for pages outside the base path and for wrong metrics tokens. */
  pageRateLimit: RateLimit | undefined;
  /** Who may call the tools for agents at `/mcp`. */
  agentAccess: "off" | "token" | "public";
  /** The authorization server whose tokens `/mcp` accepts, too. */
  agentIssuer: string | undefined;
  /** The expiry of tokens that are created without one; they never expire when absent. */
  tokenExpiryDays: number | undefined;
  /** The bearer token that `/metrics` requires; if absent, anybody may read it. */
  metricsToken: string | undefined;
  /** The port for `/metrics` instead of `port`. */
  metricsPort: number | undefined;
  /** Multiplies the relevance of products that are marked as boosted; 1 when nothing does. */
  boostFactor: number;
  /** By relevance, what is out of stock comes after all that is not, or among it. */
  outOfStock: "mixed" | "last";
  imageSlugDays: number;
  /** A public token for the shop page, which everybody sees; `start` makes one. */
  shopToken: string | undefined;
  /** How long counts of searches are kept; 0 when nothing is counted. */
  analyticsDays: number;
  /** `feed`, or the path of a profile for the marketplace's own API. */
  marketplaces: Readonly<Record<Marketplace, string>>;
  secondhandSources: readonly string[];
  visionModel: string | undefined;
  visionDetector: string | undefined;
  llm: { baseUrl: string; model: string; apiKey: string | undefined } | undefined;
  /** Requests are traced when it is there. */
  tracing: TracingSettings | undefined;
  /** Feeds that the service imports by itself, again and again. */
  feeds: readonly FeedSetting[];
  /** By the host of the shop. */
  shopifyAdminTokens: Readonly<Record<string, string>>;
  /** The most that feeds may take on the disk between reading and applying; by the free space when absent. */
  stagingLimitMb: number | undefined;
  webhookAllowNetworks: readonly string[];
  fetchAllowNetworks: readonly string[];
}

export interface BackupSettings {
  dir: string;
  /** The time of the day, in UTC, as minutes since midnight. */
  atMinute: number;
  /** The number of backups that stay in `dir`. */
  keep: number;
}

/** What was counted is kept no longer, also when nothing is counted any more. */
export const maxAnalyticsDays = 365;

/** Their values are not shown, not even when they are wrong. */
const secretSettings: readonly string[] = [
  "SECRET_KEY",
  "METRICS_TOKEN",
  // A private token may have been taken for a public one.
  "SHOP_TOKEN",
  "DATABASE_URL",
  "SEARCH_URL",
  "FEEDS",
  "SHOPIFY_ADMIN_TOKENS",
  "OTEL_EXPORTER_OTLP_HEADERS",
];

type Environment = Readonly<Record<string, string | undefined>>;

/** Throws one error that lists everything that is invalid. */
export function readConfig(environment: Environment): Config {
  const faults: string[] = [];
  const read = <Value>(name: string, fallback: string, parse: (text: string) => Value): Value => {
    const text = environment[name]?.trim() || fallback;
    try {
      return parse(text);
    } catch (error) {
      const shown = secretSettings.includes(name) ? name : `${name}="${text}"`;
      faults.push(`${shown}: ${error instanceof Error ? error.message : String(error)}`);
      return parse(fallback);
    }
  };

  const host = read("HOST", "127.0.0.1", hostName);
  const port = read("PORT", "3000", integer(0, 65_535));
  const search = read("SEARCH_URL", "", optional(searchCluster));
  const shards = read("SEARCH_SHARDS", "", optional(integer(1, 32)));
  const replicas = read("SEARCH_REPLICAS", "1", integer(0, 100));
  const dataDir = read("DATA_DIR", "data", (text) => resolve(text));
  const databaseUrl = read("DATABASE_URL", "", optional(postgresUrl));
  const backupDir = read("BACKUP_DIR", "", optionalPath);
  const atMinute = read("BACKUP_TIME", "03:00", timeOfDay);
  const keep = read("BACKUP_KEEP", "7", integer(1, 10_000));
  const config: Config = {
    host,
    port,
    publicUrl: read("PUBLIC_URL", `http://${urlHost(host)}:${port}`, publicUrl),
    dataDir,
    databaseUrl,
    search: search && { ...search, shards, replicas },
    secretKey: read("SECRET_KEY", "", secretKey),
    backups: backupDir === undefined ? undefined : { dir: backupDir, atMinute, keep },
    threads: read("THREADS", String(defaultThreads()), integer(1, 64)),
    logLevel: read(
      "LOG_LEVEL",
      "info",
      oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
    ),
    logRequests: read("LOG_REQUESTS", "none", oneOf(["none", "errors", "sampled", "all"])),
    currency: read("CURRENCY", "USD", currency),
    languages: read("LANGUAGES", "", optional(languages)),
    trustProxy: read("TRUST_PROXY", "", list(addressOrNetwork)),
    authProxyHeader: read("AUTH_PROXY_HEADER", "", optional(headerName)),
    authProxyGroupsHeader: read("AUTH_PROXY_GROUPS_HEADER", "", optional(headerName)),
    corsOrigins: read("CORS_ORIGINS", "", list(origin)),
    trialRateLimit: read("TRIAL_RATE_LIMIT", "120/60", rateLimit),
    tokenRateLimit: read("TOKEN_RATE_LIMIT", "3000/60", rateLimit),
    publicRateLimit: read("PUBLIC_RATE_LIMIT", "300/60", rateLimit),
    pageRateLimit: read("PAGE_RATE_LIMIT", "1200/60", rateLimit),
    agentAccess: read("AGENT_ACCESS", "token", oneOf(["off", "token", "public"])),
    agentIssuer: read("AGENT_ISSUER", "", optional(issuer)),
    tokenExpiryDays: read("TOKEN_EXPIRY_DAYS", "", optional(integer(1, 3650))),
    shopToken: read("SHOP_TOKEN", "", optional(shopToken)),
    metricsToken: read("METRICS_TOKEN", "", optional(metricsToken)),
    metricsPort: read("METRICS_PORT", "", optional(integer(1, 65_535))),
    analyticsDays: read("ANALYTICS_DAYS", "0", integer(0, maxAnalyticsDays)),
    boostFactor: read("BOOST_FACTOR", "1.5", numberWithin(1, 10)),
    outOfStock: read("OUT_OF_STOCK", "last", oneOf(["mixed", "last"])),
    imageSlugDays: read("IMAGE_SLUG_DAYS", "30", integer(1, 3650)),
    marketplaces: recordOf(marketplaces, (one) => read(marketplaceSetting(one), "feed", (text) => text)),
    secondhandSources: read("SECONDHAND_SOURCES", "", list(oneOf(marketplaces))),
    visionModel: read("VISION_MODEL", "", wordOrPath("small")),
    visionDetector: read("VISION_DETECTOR", "", optionalPath),
    llm: readLlm(environment, faults),
    tracing: toTracing(
      read("OTEL_EXPORTER_OTLP_ENDPOINT", "", optional(publicUrl)),
      read("OTEL_EXPORTER_OTLP_HEADERS", "", parseHeaderList),
      read("OTEL_SERVICE_NAME", "product-search", (text) => text),
      read("OTEL_TRACES_SAMPLER_ARG", "0.1", parseRatio),
    ),
    feeds: read("FEEDS", "", parseFeedSettings),
    shopifyAdminTokens: read("SHOPIFY_ADMIN_TOKENS", "", parseShopTokens),
    stagingLimitMb: read("STAGING_LIMIT_MB", "", optional(integer(1, 100_000_000))),
    webhookAllowNetworks: read("WEBHOOK_ALLOW_NETWORKS", "", list(parseNetwork)),
    fetchAllowNetworks: read("FETCH_ALLOW_NETWORKS", "", list(parseNetwork)),
  };
  if (config.metricsPort !== undefined && config.metricsPort === config.port) {
    faults.push(`METRICS_PORT="${config.metricsPort}": is PORT; choose another one, or leave it out.`);
  }
  if (config.authProxyHeader !== undefined && config.trustProxy.length === 0) {
    faults.push(
      "AUTH_PROXY_HEADER: needs TRUST_PROXY, the address of the proxy: from elsewhere the header is not believed.",
    );
  }
  if (config.authProxyGroupsHeader !== undefined && config.authProxyHeader === undefined) {
    faults.push("AUTH_PROXY_GROUPS_HEADER: needs AUTH_PROXY_HEADER, which names the person.");
  }
  if (config.databaseUrl !== undefined && config.secretKey === undefined) {
    faults.push(
      "DATABASE_URL: needs SECRET_KEY, the same on all nodes: each would encrypt with a key of its own otherwise.",
    );
  }
  if (backupDir === dataDir) {
    faults.push(`BACKUP_DIR="${backupDir}": is DATA_DIR; choose a folder on another disk.`);
  }
  if (backupDir !== undefined && databaseUrl !== undefined) {
    faults.push(
      "BACKUP_DIR: is for the database in DATA_DIR. With DATABASE_URL, leave it out and back up PostgreSQL with pg_dump.",
    );
  }
  for (const name of ["BACKUP_TIME", "BACKUP_KEEP"]) {
    if (backupDir === undefined && environment[name]?.trim())
      faults.push(`${name}: needs BACKUP_DIR, the folder for the backups.`);
  }
  if (config.search !== undefined && config.databaseUrl === undefined) {
    faults.push(
      "SEARCH_URL: needs DATABASE_URL: a search cluster serves many nodes, and SQLite one. Set both, or neither.",
    );
  }
  if (faults.length > 0) {
    throw new ConfigError(
      `The configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join("\n")}`,
    );
  }
  return Object.freeze(config);
}

/** The configuration of this process; `defaults` are for settings that its environment does not name. */
export function readEnvironment(defaults: Environment = {}): Config {
  return readConfig({ ...defaults, ...process.env });
}

/** A secret that a marketplace profile names: the names are known only from the profile. */
export function readSecret(name: string): string | undefined {
  return process.env[name]?.trim() || undefined;
}

/** Also read if other settings are invalid, to show the origin of an error. */
export function showsStacks(): boolean {
  return process.env.LOG_LEVEL === "debug";
}

export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** One thread on systems where several cannot share a port: only Linux balances SO_REUSEPORT. */
function defaultThreads(): number {
  return process.platform === "linux" ? Math.min(availableParallelism(), 64) : 1;
}

function readLlm(environment: Environment, faults: string[]): Config["llm"] {
  const baseUrl = environment.LLM_BASE_URL?.trim();
  const model = environment.LLM_MODEL?.trim();
  if (!baseUrl && !model) return undefined;
  if (!baseUrl || !model) {
    faults.push(
      "LLM_BASE_URL and LLM_MODEL belong together: set both, or neither to use the built-in writer.",
    );
    return undefined;
  }
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    faults.push(
      `LLM_BASE_URL="${baseUrl}": write an http or https address such as https://models.example/v1.`,
    );
    return undefined;
  }
  return {
    baseUrl: baseUrl.replace(/\/+$/, ""),
    model,
    apiKey: environment.LLM_API_KEY?.trim() || undefined,
  };
}
