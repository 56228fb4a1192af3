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
  if (!ipaddr.isValid(address)) return false;
  const one = ipaddr.process(address);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return one.kind() === range.kind() && one.match(range, bits);
  });
}
