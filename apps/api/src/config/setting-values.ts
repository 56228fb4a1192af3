import { isIP } from "node:net";
import { resolve } from "node:path";
import { isAccessToken } from "@product-search/core/domain/access-token.ts";
import { type LanguageCode, languageCodes } from "@product-search/core/domain/languages/languages.ts";
import { parseNetwork } from "@product-search/core/domain/networks.ts";
import { type ProductSource, productSources } from "@product-search/core/domain/product.ts";
import { isShopAddress, parseShopAddress, printableUrl } from "@product-search/core/domain/urls.ts";
import type { RateLimit } from "@product-search/core/ports/quotas.ts";

/** An OpenSearch cluster, and what the names of our indexes in it begin with. */
export interface SearchClusterAddress {
  nodes: readonly string[];
  prefix: string;
}

export interface SearchClusterSettings extends SearchClusterAddress {
  /** The number of shards of each index; by its size when absent. */
  shards?: number | undefined;
  /** Copies of each shard besides the first. Default: 1. */
  replicas?: number;
}

export function integer(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new Error(`write a whole number from ${min} to ${max}.`);
    return value;
  };
}

/** With at most two decimals. */
export function numberWithin(min: number, max: number) {
  return (text: string): number => {
    const value = /^\d+(\.\d{1,2})?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max))
      throw new Error(`write a number from ${min} to ${max}, with at most two decimals.`);
    return value;
  };
}

export function optional<Value>(parse: (text: string) => Value) {
  return (text: string): Value | undefined => (text === "" ? undefined : parse(text));
}

export function oneOf<const Value extends string>(values: readonly Value[]) {
  return (text: string): Value => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new Error(`choose one of ${values.join(", ")}.`);
    return found;
  };
}

export function list<Value>(parse: (text: string) => Value) {
  return (text: string): Value[] =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== "")
      .map(parse);
}

export function languages(text: string): readonly [LanguageCode, ...LanguageCode[]] {
  const [first, ...others] = new Set(list(oneOf(languageCodes))(text));
  if (first === undefined) throw new Error(`name at least one of ${languageCodes.join(", ")}.`);
  return [first, ...others];
}

export function hostName(text: string): string {
  if (/[\s/@]/.test(text)) throw new Error("write a host name or an address to listen on, such as 0.0.0.0.");
  return text;
}

export function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

export function publicUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password) {
    throw new Error("write an http or https address without query, such as https://search.example.com.");
  }
  return text.replace(/\/+$/, "");
}

export function postgresUrl(text: string): string {
  const { protocol = "", pathname = "" } = URL.canParse(text) ? new URL(text) : {};
  if (!/^postgres(ql)?:$/.test(protocol) || !/^\/[^/]+$/.test(pathname)) {
    throw new Error("write an address such as postgres://user:password@host:5432/database.");
  }
  return text;
}

export function searchCluster(text: string): SearchClusterAddress {
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

export function secretKey(text: string): string | undefined {
  if (text === "") return undefined;
  const keys = text.split(",").map((key) => key.trim());
  if (keys.length > 2 || keys.some((key) => Buffer.from(key, "base64").length !== 32)) {
    throw new Error(
      "write 32 random bytes as base64, as `openssl rand -base64 32` prints them. While the key is replaced, write two, the new one first and a comma between them.",
    );
  }
  return keys.join(",");
}

export function headerName(text: string): string {
  if (!/^[\w-]{1,100}$/.test(text))
    throw new Error("write the name of a request header, such as x-forwarded-email.");
  return text.toLowerCase();
}

export function metricsToken(text: string): string {
  if (!/^[\x21-\x7e]{16,200}$/.test(text)) {
    throw new Error("write 16 to 200 visible ASCII characters, such as `openssl rand -hex 16` prints.");
  }
  return text;
}

export function shopToken(text: string): string {
  if (!isAccessToken(text))
    throw new Error("is not a whole token: copy what `token create --account shop --public` prints.");
  return text;
}

export function currency(text: string): string {
  if (!/^[A-Z]{3}$/.test(text) || !Intl.supportedValuesOf("currency").includes(text)) {
    throw new Error("write an ISO 4217 code in capitals, such as USD or EUR.");
  }
  return text;
}

export function origin(text: string): string {
  if (text === "*") return text;
  if (!URL.canParse(text) || new URL(text).origin !== text) {
    throw new Error(
      `"${text}" is not an origin; write scheme, host and port only, such as https://shop.example.com, or *.`,
    );
  }
  return text;
}

/** An authorization server. Its tokens name it by this text, to the letter. */
export function issuer(text: string): string {
  const url = URL.parse(text);
  const isLoopback = url !== null && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url === null || !(url.protocol === "https:" || (url.protocol === "http:" && isLoopback)))
    throw new Error(
      `"${text}" is not an https URL; write it as the server's tokens do, such as https://login.example.com.`,
    );
  if (url.search !== "" || url.hash !== "" || url.username !== "")
    throw new Error(`"${text}" has more than scheme, host, port and path; an issuer has no more.`);
  return text;
}

export function addressOrNetwork(text: string): string {
  return isIP(text) === 0 ? parseNetwork(text) : text;
}

export function rateLimit(text: string): RateLimit | undefined {
  if (text === "0") return undefined;
  const match = /^(\d{1,9})\/(\d{1,6})$/.exec(text);
  const [requests, seconds] = [Number(match?.[1]), Number(match?.[2])];
  if (!match || requests < 1 || seconds < 1 || seconds > 86_400) {
    throw new Error("write requests/seconds such as 3000/60, or 0 for no limit.");
  }
  return { requests, seconds };
}

/** Minutes since midnight. */
export function timeOfDay(text: string): number {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined || minutes === undefined)
    throw new Error("write a time of the day in UTC, from 00:00 to 23:59, such as 03:30.");
  return Number(hours) * 60 + Number(minutes);
}

export function optionalPath(text: string): string | undefined {
  return text === "" ? undefined : resolve(text);
}

/** A word that stands for something, or a path. */
export const wordOrPath =
  (word: string) =>
  (text: string): string | undefined =>
    text.trim() === word ? word : optionalPath(text);

/** A feed that the service imports by itself. */
export interface FeedSetting {
  source: ProductSource;
  url: string;
  periodMs: number;
  /** What to do with products of the source that the feed does not list. */
  absent: "keep" | "out_of_stock" | "remove" | "remove_without_limit";
}

const feedForm =
  'write entries such as "catalog https://shop.example/feed.xml every 30m full", with a comma between them';
const feedUnitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000 };
const maxFeedPeriodMs = 7 * 24 * 3_600_000;

/** A comma starts a new entry only before a source, because URLs may contain commas. */
export function parseFeedSettings(text: string): FeedSetting[] {
  const entries = text
    .split(new RegExp(`,\\s*(?=(?:${productSources.join("|")})\\s)`))
    .filter((entry) => entry.trim());
  const found = entries.map((entry) => parseFeed(entry.trim()));
  const names = new Set(found.map(({ source, url }) => `${source} ${url}`));
  if (names.size < found.length) throw new Error("a feed is listed twice.");
  return found;
}

/** The URL is not repeated in messages: it may contain a password or a token. */
function parseFeed(entry: string): FeedSetting {
  const match =
    /^(\S+)\s+(\S+)\s+every\s+(\d{1,5})([mh])(?:\s+(full|remove-absent(?:\s+no-removal-limit)?))?$/.exec(
      entry,
    );
  const [, name, url = "", amount, unit = "", rule] = match ?? [];
  const source = productSources.find((one) => one === name);
  if (source === undefined) throw new Error(`${feedForm}.`);
  const printable = isShopAddress(url) ? shopAddress(url) : printableUrl(url);
  if (printable === undefined || !(isShopAddress(url) || /^https?:$/.test(new URL(printable).protocol))) {
    throw new Error(
      `${feedForm}; each needs an http or https URL, or a shop such as shopify:https://shop.example.`,
    );
  }
  const periodMs = Number(amount) * (feedUnitMs[unit] ?? 0);
  if (!(periodMs >= 60_000 && periodMs <= maxFeedPeriodMs)) {
    throw new Error(`${feedForm}; the period is from 1m to 168h.`);
  }
  return { source, url: printable, periodMs, absent: toAbsentRule(rule) };
}

/** `name.myshopify.com=token`, several with commas between them. */
export function parseShopTokens(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, host, token] = /^\s*([\w.-]+(?::\d+)?)=([\x21-\x7e]+)\s*$/.exec(pair) ?? [];
      if (host === undefined || token === undefined)
        throw new Error("write name.myshopify.com=token, with commas between several.");
      return [host.toLowerCase(), token];
    }),
  );
}

function shopAddress(text: string): string {
  const shop = parseShopAddress(text);
  if ("fault" in shop) throw new Error(`${feedForm}; ${shop.fault}.`);
  return `${shop.platform}:${shop.url}`;
}

function toAbsentRule(words: string | undefined): FeedSetting["absent"] {
  if (words === undefined) return "keep";
  if (words === "full") return "out_of_stock";
  return words === "remove-absent" ? "remove" : "remove_without_limit";
}

/** The collector of spans, and the share of traces that are recorded. */
export interface TracingSettings {
  /** URL of a collector, without `/v1/traces`. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  /** From 0 to 1. */
  ratio: number;
}

export function toTracing(
  endpoint: string | undefined,
  headers: Readonly<Record<string, string>>,
  serviceName: string,
  ratio: number,
): TracingSettings | undefined {
  return endpoint === undefined ? undefined : { endpoint, headers, serviceName, ratio };
}

/** In OpenTelemetry's format: `name=value`, separated by commas. */
export function parseHeaderList(text: string): Record<string, string> {
  const pairs = text.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value = ""] = /^\s*([\w-]+)=(.*?)\s*$/.exec(pair) ?? [];
      if (name === undefined) throw new Error("write name=value, with commas between several.");
      return [name, decodeURIComponent(value)];
    }),
  );
}

export function parseRatio(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) throw new Error("write a number from 0 to 1.");
  return value;
}
