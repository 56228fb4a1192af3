import { isIP } from "node:net";
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
