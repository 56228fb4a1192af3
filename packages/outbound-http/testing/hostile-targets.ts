import type { ResolveHost } from "../src/resolve-host.ts";
import data from "./hostile-targets.json" with { type: "json" };

/**
 * Targets that must never be reached, whatever else is allowed: other schemes, malformed URLs, private addresses in every
 * notation that some parser accepts, credentials, forbidden ports, and names that resolve to private addresses.
 */
export const hostileTargets: readonly string[] = data.targets;

const addresses: Readonly<Record<string, readonly string[]>> = data.addresses;

/** Resolves the names of the targets, a public address for `public.example`, and nothing for any other name. */
export const hostileResolveHost: ResolveHost = async (host) => {
  if (/(^|\.)localhost\.?$/.test(host)) return ["127.0.0.1", "::1"];
  if (host === "public.example") return ["93.184.215.14"];
  const resolved = addresses[host];
  if (resolved === undefined) throw new Error(`"${host}" has no address`);
  return [...resolved];
};
