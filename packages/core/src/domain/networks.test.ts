import { describe, expect, it } from "vitest";
import { createUnfetchableCheck, isInNetworks, parseNetwork } from "./networks.ts";

describe("networks", () => {
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
});

describe("unfetchable", () => {
  it.each([
    ["https://cdn.example/a.jpg", false, false],
    ["https://8.8.8.8/a.jpg", false, false],
    ["/images/a.jpg", false, false],
    ["http://10.1.2.3/a.jpg", true, false],
    ["http://192.168.0.4:8080/a.jpg", true, true],
    ["http://169.254.169.254/a.jpg", true, true],
    ["http://0x7f.1/a.jpg", true, true],
    ["http://[fd00::1]/a.jpg", true, true],
    ["http://[::ffff:10.1.2.3]/a.jpg", true, false],
    ["http://localhost/a.jpg", true, false],
    ["http://nas/a.jpg", true, false],
    ["http://shop.internal/a.jpg", true, false],
    ["https://me:secret@cdn.example/a.jpg", true, true],
  ])("%s: %s without allowed networks, %s with 10.0.0.0/8", (url, alone, withNetwork) => {
    expect([createUnfetchableCheck()(url), createUnfetchableCheck(["10.0.0.0/8"])(url)]).toEqual([
      alone,
      withNetwork,
    ]);
  });
});
