import { expect, it } from "vitest";
import { canonicalAddress, clientAddress, clientNetwork, createProxyTrust } from "./client-network.ts";

it.each([
  ["192.0.2.7", "192.0.2.7"],
  ["::ffff:192.0.2.7", "192.0.2.7"],
  ["192.0.2.7:4711", "192.0.2.7"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
  ["2001:DB8:1:2::9", "2001:db8:1:2"],
  ["2001:db8::9", "2001:db8:0:0"],
  ["::1", "0:0:0:0"],
])("%s is counted as %s", (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});

const spellings = {
  "192.0.2.7": [
    "192.0.2.7",
    " 192.0.2.7 ",
    "192.0.2.7:80",
    '"192.0.2.7:80"',
    "[192.0.2.7]:80",
    "192.000.002.007",
    "::ffff:192.0.2.7",
    "::FFFF:192.0.2.7",
    "::ffff:c000:207",
    "[::ffff:192.0.2.7]:80",
    "0:0:0:0:0:ffff:192.0.2.7",
    "0000:0000:0000:0000:0000:ffff:c000:0207",
  ],
  "10.0.0.8": ["010.0.0.08", "10.0.0.8:_hidden"],
  "2001:db8::9": [
    "2001:db8::9",
    "2001:DB8::9",
    "2001:0db8:0000:0000:0000:0000:0000:0009",
    "2001:db8:0:0::9",
    "2001:db8:0:0:0:0:0:9",
    "2001:db8::0.0.0.9",
    "[2001:db8::9]",
    "[2001:DB8::9]:443",
    '"[2001:db8::9]:443"',
    "2001:db8::9%eth0",
    "[2001:db8::9%eth0]:443",
  ],
};

for (const [address, texts] of Object.entries(spellings)) {
  it.each(texts)(`reads %s as ${address}`, (text) => {
    expect(canonicalAddress(text)).toBe(address);
  });
}

it.each([
  undefined,
  "",
  "unknown",
  "_hidden",
  "192.0.2",
  "0xc0.0.2.7",
  "3221225991",
  "192.0.2.256",
  "[]:80",
  "1.2.3.4, 5.6.7.8",
  "x".repeat(9999),
])("refuses %s", (text) => {
  expect(canonicalAddress(text)).toBeUndefined();
});

it("trusts proxies however they are written, in the setting and in the header", () => {
  const isTrusted = createProxyTrust(["10.0.0.0/8", "192.0.2.7", "::ffff:172.16.0.0/108", "2001:DB8::/32"]);
  for (const text of [
    "10.1.2.3",
    "10.1.2.3:80",
    "::ffff:10.1.2.3",
    "192.0.2.7",
    "172.31.0.1",
    "[2001:db8::7]:80",
  ])
    expect([text, isTrusted(text)]).toEqual([text, true]);
  for (const text of [undefined, "unknown", "11.0.0.1", "192.0.2.8", "172.32.0.1", "2001:db9::1"])
    expect([text, isTrusted(text)]).toEqual([text, false]);
});

it("takes a trusted proxy that names no address for the client", () => {
  expect(clientAddress({ ip: "unknown", ips: ["10.0.0.1", "10.0.0.2:80", "unknown"] })).toBe("10.0.0.2");
  expect(clientAddress({ ip: undefined })).toBe("unknown");
});
