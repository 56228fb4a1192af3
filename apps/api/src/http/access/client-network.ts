import { isIP, isIPv4, isIPv6 } from "node:net";
import { createNetworkCheck, networkOf } from "@product-search/core/domain/networks.ts";
import ipaddr from "ipaddr.js";

/**
 * The one spelling of an IP address that is compared, counted, stored and shown: IPv4 with dots, also if it came as IPv6
 * (`::ffff:192.0.2.7`), IPv6 as in RFC 5952. Proxies also write ports, brackets, quotes, zones and zeros in front
 * (RFC 7239, section 6). Undefined if the text is not an IP address.
 */
export function canonicalAddress(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  // Nearly all addresses. Node accepts only the usual spelling.
  if (isIPv4(text)) return text;
  const plain = withoutPort(text.trim().replace(/^"(.*)"$/, "$1")).replace(/%.*$/, "");
  if (isIPv6(plain)) return ipaddr.process(plain).toString();
  // Zeros in front are padding here, never octal: 010.0.0.1 is 10.0.0.1.
  const decimal = plain.replaceAll(/(?<=^|\.)0+(?=\d)/g, "");
  return isIPv4(decimal) ? decimal : undefined;
}

/** The key that identifies a client: its IPv4 address, or the /64 of its IPv6 address, which belongs to one customer. */
export function clientNetwork(address: string): string {
  return networkOf(canonicalAddress(address) ?? address);
}

/** The part of a request that says where it comes from. */
export interface AddressedRequest {
  /** As the connection or a trusted proxy gives it; absent if the connection has ended. */
  ip: string | undefined;
  /** With trusted proxies: the address of the connection first, then theirs. */
  ips?: string[] | undefined;
}

/**
 * The client's address. If a trusted proxy has written something that is not an address, such as "unknown", it is the
 * address of that proxy: the text may be anything, and limits must not depend on it.
 */
export function clientAddress({ ip, ips }: AddressedRequest): string {
  const known = canonicalAddress(ip);
  if (known !== undefined) return known;
  const hops = (ips ?? []).map(canonicalAddress);
  return hops.findLast((hop) => hop !== undefined) ?? "unknown";
}

/** Whether the text, as the connection or a proxy gives it, is the address of a proxy whose X-Forwarded-For is believed. */
export function createProxyTrust(
  addressesOrNetworks: readonly string[],
): (text: string | undefined) => boolean {
  const networks = addressesOrNetworks.map((one) => {
    const family = isIP(one);
    return family === 0 ? one : `${one}/${family === 4 ? 32 : 128}`;
  });
  const isTrusted = createNetworkCheck(networks);
  return (text) => {
    const address = canonicalAddress(text);
    return address !== undefined && isTrusted(address);
  };
}

/** `192.0.2.7:4711`, `[2001:db8::1]:4711` and `[2001:db8::1]`. More colons without brackets are an IPv6 address. */
function withoutPort(text: string): string {
  return /^\[([^\]]*)\](:[\w.-]*)?$/.exec(text)?.[1] ?? /^([^:]*):[\w.-]*$/.exec(text)?.[1] ?? text;
}
