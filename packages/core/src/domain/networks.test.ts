import { expect, it } from "vitest";
import { isInNetworks, parseNetwork } from "./networks.ts";

it.each([
  ["203.0.113.7", ["203.0.113.0/24"], true],
  ["203.0.114.7", ["203.0.113.0/24"], false],
  ["::ffff:203.0.113.7", ["203.0.113.0/24"], true],
  ["2001:db8::1", ["203.0.113.0/24", "2001:db8::/32"], true],
  ["2001:db9::1", ["2001:db8::/32"], false],
  ["203.0.113.7", ["2001:db8::/32"], false],
  ["203.0.113.7", ["0.0.0.0/0"], true],
  ["203.0.113.7", [], false],
  ["nonsense", ["0.0.0.0/0", "::/0"], false],
  ["", ["0.0.0.0/0"], false],
])("%s in %j: %s", (address, networks, expected) => {
  expect(isInNetworks(address, networks)).toBe(expected);
});

it.each(["10.0.0.0/33", "10/8", "localhost", "", "10.0.0.1"])("%j is refused as a network", (text) => {
  expect(() => parseNetwork(text)).toThrow(/network/);
});
