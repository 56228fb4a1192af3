import { isIP, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";

/** Returns a network in CIDR notation, or throws an error that says what is wrong and how to write it. */
export function parseNetwork(text: string): string {
  const [address = ""] = text.split("/");
  const family = isIP(address);
  // The library accepts "10/8", which nobody would expect to mean 0.0.0.10.
  if (family !== 0 && ipaddr.isValidCIDR(text)) return text;
  if (family === 0 || text !== address) {
    throw new Error(`"${text}" is not a network; write CIDR notation such as 10.0.0.0/8 or ::1/128.`);
  }
  const bits = family === 4 ? 32 : 128;
  throw new Error(`"${text}" is an address, not a network; write ${text}/${bits} for that address alone.`);
}

/** Whether the IP address is in one of the networks. An IPv4 address in IPv6 notation counts as IPv4. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  return createNetworkCheck(networks)(address);
}

/** The same check, prepared for many addresses. */
export function createNetworkCheck(networks: readonly string[]): (address: string) => boolean {
  const ranges = networks.map((network) => asIPv4(ipaddr.parseCIDR(network)));
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const one = ipaddr.process(address);
    return ranges.some(([range, bits]) => one.kind() === range.kind() && one.match(range, bits));
  };
}

/** A network such as `::ffff:10.0.0.0/104` contains IPv4 addresses, which are compared as such. */
function asIPv4([range, bits]: Network): Network {
  const isMapped = range instanceof ipaddr.IPv6 && range.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [range.toIPv4Address(), bits - 96] : [range, bits];
}

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** What belongs to one customer: an IPv4 address, or the /64 of an IPv6 address. Other texts are returned unchanged. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const one = ipaddr.process(address);
  if (one instanceof ipaddr.IPv4) return one.toString();
  return one.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":");
}

/** Azure serves its machines their metadata and secrets from this address, which looks public. */
const azureWireServer = "168.63.129.16";

/** Whether an IP address is one of the public internet. */
export function isPublicAddress(text: string): boolean {
  const address = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== azureWireServer;
  // Only 2000::/3 of IPv6 is assigned (RFC 4291). The rest contains IPv4 in deprecated forms or is unassigned.
  return ((address.parts[0] ?? 0) & 0xe000) === 0x2000;
}

/** The IP address that the host of a URL is, without the brackets of IPv6; undefined for names. */
export function literalHost(hostname: string): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/** Names that no public address has: RFC 6761, RFC 6762, RFC 8375, and names without a dot. */
const privateName = /^[^.]*\.?$|(^|\.)(localhost|local|internal|home\.arpa|invalid)\.?$/;

/**
 * Whether an absolute URL itself shows that it is never fetched. A private name may lead to an allowed network, so it counts only
 * where none is allowed.
 */
export function createUnfetchableCheck(allowNetworks: readonly string[] = []): (url: string) => boolean {
  const isAllowed = createNetworkCheck(allowNetworks);
  return (text) => {
    const url = URL.parse(text);
    if (url === null) return false;
    const { hostname, username, password } = url;
    const literal = literalHost(hostname);
    if (username !== "" || password !== "") return true;
    if (literal === undefined) return allowNetworks.length === 0 && privateName.test(hostname);
    return !isPublicAddress(literal) && !isAllowed(literal);
  };
}
