import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseNetwork } from "./domain/networks.ts";
import { type FeedSetting, parseFeedSettings } from "./domain/parse-feed-settings.ts";
import {
  parseHeaderList,
  parseRatio,
  type TracingSettings,
  toTracing,
} from "./domain/parse-tracing-settings.ts";

/** This many requests in this many seconds; no limit if absent. */
export interface RateLimit {
  requests: number;
  seconds: number;
}

/** An OpenSearch cluster, and what the names of our indexes in it begin with. */
export interface SearchClusterAddress {
  nodes: readonly string[];
  prefix: string;
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
  search: SearchClusterAddress | undefined;
  /** Encrypts webhook keys at rest; when absent, a key file in `dataDir` does. */
  secretKey: string | undefined;
  threads: number;
  logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** Which requests are logged. */
  logRequests: "none" | "errors" | "sampled" | "all";
  currency: string;
  /** IP addresses or networks of proxies whose X-Forwarded-For header is trusted. */
  trustProxy: readonly string[];
  corsOrigins: readonly string[];
  trialRateLimit: RateLimit | undefined;
  tokenRateLimit: RateLimit | undefined;
  publicRateLimit: RateLimit | undefined;
  /** The expiry of tokens that are created without one; they never expire when absent. */
  tokenExpiryDays: number | undefined;
  /** The bearer token that `/metrics` requires; if absent, anybody may read it. */
  metricsToken: string | undefined;
  /** The port for `/metrics` instead of `port`. */
  metricsPort: number | undefined;
  imageSlugDays: number;
  /** `feed`, or the path of a profile for the marketplace's own API. */
  marketplaceA: string;
  marketplaceB: string;
  secondhandSources: readonly string[];
  visionModel: string | undefined;
  visionDetector: string | undefined;
  llm: { baseUrl: string; model: string; apiKey: string | undefined } | undefined;
  /** Requests are traced when it is there. */
  tracing: TracingSettings | undefined;
  /** Feeds that the service imports by itself, again and again. */
  feeds: readonly FeedSetting[];
  webhookAllowNetworks: readonly string[];
  fetchAllowNetworks: readonly string[];
}

/** Their values are not shown, not even when they are wrong. */
const secretSettings: readonly string[] = [
  "SECRET_KEY",
  "METRICS_TOKEN",
  "DATABASE_URL",
  "SEARCH_URL",
  "FEEDS",
  "OTEL_EXPORTER_OTLP_HEADERS",
];

type Environment = Readonly<Record<string, string | undefined>>;

/** The only reader of the environment. Throws one error that lists everything that is invalid. */
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
  const config: Config = {
    host,
    port,
    publicUrl: read("PUBLIC_URL", `http://${urlHost(host)}:${port}`, publicUrl),
    dataDir: read("DATA_DIR", "data", (text) => resolve(text)),
    databaseUrl: read("DATABASE_URL", "", optional(postgresUrl)),
    search: read("SEARCH_URL", "", optional(searchCluster)),
    secretKey: read("SECRET_KEY", "", secretKey),
    threads: read("THREADS", String(defaultThreads()), integer(1, 64)),
    logLevel: read(
      "LOG_LEVEL",
      "info",
      oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
    ),
    logRequests: read("LOG_REQUESTS", "none", oneOf(["none", "errors", "sampled", "all"])),
    currency: read("CURRENCY", "USD", currency),
    trustProxy: read("TRUST_PROXY", "", list(addressOrNetwork)),
    corsOrigins: read("CORS_ORIGINS", "", list(origin)),
    trialRateLimit: read("TRIAL_RATE_LIMIT", "120/60", rateLimit),
    tokenRateLimit: read("TOKEN_RATE_LIMIT", "3000/60", rateLimit),
    publicRateLimit: read("PUBLIC_RATE_LIMIT", "300/60", rateLimit),
    tokenExpiryDays: read("TOKEN_EXPIRY_DAYS", "", optional(integer(1, 3650))),
    metricsToken: read("METRICS_TOKEN", "", optional(metricsToken)),
    metricsPort: read("METRICS_PORT", "", optional(integer(1, 65_535))),
    imageSlugDays: read("IMAGE_SLUG_DAYS", "30", integer(1, 3650)),
    marketplaceA: read("MARKETPLACE_A", "feed", (text) => text),
    marketplaceB: read("MARKETPLACE_B", "feed", (text) => text),
    secondhandSources: read("SECONDHAND_SOURCES", "", list(oneOf(["marketplace-a", "marketplace-b"]))),
    visionModel: read("VISION_MODEL", "", optionalPath),
    visionDetector: read("VISION_DETECTOR", "", optionalPath),
    llm: readLlm(environment, faults),
    tracing: toTracing(
      read("OTEL_EXPORTER_OTLP_ENDPOINT", "", optional(publicUrl)),
      read("OTEL_EXPORTER_OTLP_HEADERS", "", parseHeaderList),
      read("OTEL_SERVICE_NAME", "product-search", (text) => text),
      read("OTEL_TRACES_SAMPLER_ARG", "0.1", parseRatio),
    ),
    feeds: read("FEEDS", "", parseFeedSettings),
    webhookAllowNetworks: read("WEBHOOK_ALLOW_NETWORKS", "", list(parseNetwork)),
    fetchAllowNetworks: read("FETCH_ALLOW_NETWORKS", "", list(parseNetwork)),
  };
  if (config.metricsPort !== undefined && config.metricsPort === config.port) {
    faults.push(`METRICS_PORT="${config.metricsPort}": is PORT; choose another one, or leave it out.`);
  }
  if (config.databaseUrl !== undefined && config.secretKey === undefined) {
    faults.push(
      "DATABASE_URL: needs SECRET_KEY, the same on all nodes: each would encrypt with a key of its own otherwise.",
    );
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

/** A secret that a marketplace profile names: the names are known only from the profile. */
export function readSecret(name: string): string | undefined {
  return process.env[name]?.trim() || undefined;
}

/** Also read if other settings are invalid, to show the origin of an error. */
export function wantsStacks(): boolean {
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

function integer(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new Error(`write a whole number from ${min} to ${max}.`);
    return value;
  };
}

function optional<Value>(parse: (text: string) => Value) {
  return (text: string): Value | undefined => (text === "" ? undefined : parse(text));
}

function oneOf<const Value extends string>(values: readonly Value[]) {
  return (text: string): Value => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new Error(`choose one of ${values.join(", ")}.`);
    return found;
  };
}

function list<Value>(parse: (text: string) => Value) {
  return (text: string): Value[] =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map(parse);
}

function hostName(text: string): string {
  if (/[\s/@]/.test(text)) throw new Error("write a host name or an address to listen on, such as 0.0.0.0.");
  return text;
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new Error("write an http or https address without query, such as https://search.example.com.");
  }
  return text.replace(/\/+$/, "");
}

function postgresUrl(text: string): string {
  const { protocol = "", pathname = "" } = URL.canParse(text) ? new URL(text) : {};
  if (!/^postgres(ql)?:$/.test(protocol) || !/^\/[^/]+$/.test(pathname)) {
    throw new Error("write an address such as postgres://user:password@host:5432/database.");
  }
  return text;
}

function searchCluster(text: string): SearchClusterAddress {
  const addresses = text.split(",").map((address) => address.trim());
  const urls = addresses.map((address) => (URL.canParse(address) ? new URL(address) : undefined));
  const paths = new Set(urls.map((url) => url?.pathname.replace(/\/$/, "")));
  const [path = ""] = paths;
  const isAddress = (url: URL | undefined) =>
    url !== undefined && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  if (!urls.every(isAddress) || paths.size !== 1 || !/^(?:\/[a-z0-9][a-z0-9_-]{0,60})?$/.test(path)) {
    throw new Error(
      "write addresses such as https://user:password@search-1.example:9200, parted by commas. A path, the same in all, begins " +
        "the names of the indexes: small letters, digits, _ and -.",
    );
  }
  return { nodes: addresses, prefix: path.slice(1) || "product-search" };
}

function secretKey(text: string): string | undefined {
  if (text === "") return undefined;
  if (Buffer.from(text, "base64").length !== 32) {
    throw new Error("write 32 random bytes as base64, as `openssl rand -base64 32` prints them.");
  }
  return text;
}

function metricsToken(text: string): string {
  if (!/^[\x21-\x7e]{16,200}$/.test(text)) {
    throw new Error("write 16 to 200 visible ASCII characters, such as `openssl rand -hex 16` prints.");
  }
  return text;
}

function currency(text: string): string {
  if (!/^[A-Z]{3}$/.test(text) || !Intl.supportedValuesOf("currency").includes(text)) {
    throw new Error("write an ISO 4217 code in capitals, such as USD or EUR.");
  }
  return text;
}

function origin(text: string): string {
  if (text === "*") return text;
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new Error(
      `"${text}" is not an origin; write scheme, host and port only, such as https://shop.example.com, or *.`,
    );
  }
  return text;
}

function addressOrNetwork(text: string): string {
  return isIP(text) === 0 ? parseNetwork(text) : text;
}

function rateLimit(text: string): RateLimit | undefined {
  if (text === "0") return undefined;
  const match = /^(\d{1,9})\/(\d{1,6})$/.exec(text);
  const [requests, seconds] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || requests < 1 || seconds < 1 || seconds > 86_400) {
    throw new Error("write requests/seconds such as 3000/60, or 0 for no limit.");
  }
  return { requests, seconds };
}

function optionalPath(text: string): string | undefined {
  return text === "" ? undefined : resolve(text);
}
