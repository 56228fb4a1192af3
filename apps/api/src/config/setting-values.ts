import { isIP } from "node:net";
import { resolve } from "node:path";
import { isAccessToken } from "@product-search/core/domain/access-token.ts";
import { type LanguageCode, languageCodes } from "@product-search/core/domain/languages/languages.ts";
import { parseNetwork } from "@product-search/core/domain/networks.ts";
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
