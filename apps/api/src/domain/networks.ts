import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Gives a network in CIDR notation back, or throws with what is wrong and how to write it. */
export function parseNetwork(text: string): string {
  const [address = ""] = text.split("/");
  const family = isIP(address);
  // The library takes "10/8" for a network; nobody means 0.0.0.10 by that.
  if (family !== 0 && ipaddr.isValidCIDR(text)) return text;
  if (family === 0 || text !== address) {
    throw new Error(`"${text}" is not a network; write CIDR notation such as 10.0.0.0/8 or ::1/128.`);
  }
  const bits = family === 4 ? 32 : 128;
  throw new Error(`"${text}" is an address, not a network; write ${text}/${bits} for that address alone.`);
}

/** Whether the address is in one of the networks; an IPv4 address that is written as IPv6 counts as what it is. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const one = ipaddr.process(address);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return one.kind() === range.kind() && one.match(range, bits);
  });
}
