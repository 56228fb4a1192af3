import { OutboundError, type OutboundRequest } from "@product-search/core/ports/outbound-http.ts";
import type { TargetPolicy } from "./target-policy.ts";

/** One request of an exchange: the first one, or the one after a redirect. */
export interface Hop {
  url: URL;
  method: "GET" | "HEAD" | "POST";
  headers: Readonly<Record<string, string>>;
  body?: string | Uint8Array;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);
const secretHeaders = /^(authorization|cookie|proxy-authorization|.*api-?key.*|.*token.*)$/i;
const bodyHeaders = /^(content-type|content-length|content-encoding)$/i;

/** The next request, or undefined if this response is the last one. */
export function nextHop(
  redirects: OutboundRequest["redirects"],
  hop: Hop,
  hopsDone: number,
  response: { status: number; location: string | undefined },
  policy: TargetPolicy,
): Hop | undefined {
  if (redirects === undefined || response.location === undefined) return undefined;
  if (!redirectStatuses.has(response.status)) return undefined;
  if (hopsDone >= redirects.max) {
    throw new OutboundError("redirect", `"${hop.url.host}" redirects more than ${redirects.max} times.`);
  }
  const url = policy.parse(response.location, hop.url);
  if (redirects.sameHostOnly === true && url.hostname !== hop.url.hostname) {
    throw new OutboundError("redirect", `"${hop.url.host}" redirects to another host, which is not allowed.`);
  }
  const carried = url.origin === hop.url.origin ? hop.headers : without(hop.headers, secretHeaders);
  if (response.status === 307 || response.status === 308 || hop.method !== "POST") {
    return { ...hop, url, headers: carried };
  }
  // As in browsers: a redirected POST continues as a GET.
  return { url, method: "GET", headers: without(carried, bodyHeaders) };
}

function without(headers: Readonly<Record<string, string>>, names: RegExp): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.test(name)));
}
