import { OutboundError } from "@product-search/core/ports/outbound-http.ts";
import { afterAll, describe, expect, it } from "vitest";
import { hostileResolveHost, hostileTargets } from "../testing/hostile-targets.ts";
import { createUndiciOutboundHttp } from "./undici.ts";

const outbound = createUndiciOutboundHttp({
  allowNetworks: [],
  httpsOnly: false,
  resolveHost: hostileResolveHost,
});
afterAll(() => outbound.close());

const forbidden = expect.objectContaining({ failure: "forbidden_target" });

it("lists at least 100 hostile targets, each once", () => {
  expect(new Set(hostileTargets).size).toBe(hostileTargets.length);
  expect(hostileTargets.length).toBeGreaterThanOrEqual(100);
});

describe.each(hostileTargets)("%j", (url) => {
  it("is refused on registration", async () => {
    await expect(outbound.checkTarget(url)).rejects.toEqual(forbidden);
  });

  it("is refused on delivery", async () => {
    await expect(outbound.send({ url, timeoutMs: 2_000, maxResponseBytes: 1_000 })).rejects.toEqual(
      forbidden,
    );
  });

  it("is refused over http too", async () => {
    const plain = url.replace(/^https/, "http");
    await expect(outbound.checkTarget(plain)).rejects.toEqual(forbidden);
  });
});

describe("allowed targets", () => {
  it.each([
    "https://public.example/",
    "https://public.example:8443/hook?x=1",
    "http://public.example/feed.xml",
    "https://93.184.215.14/",
    "https://[2606:4700::1111]/",
    "https://not-registered-yet.example/",
  ])("%s is accepted", async (url) => {
    await expect(outbound.checkTarget(url)).resolves.toBeUndefined();
  });

  it("allows networks on request, in mapped form as well", async () => {
    const allowing = createUndiciOutboundHttp({ allowNetworks: ["10.0.0.0/8", "fd00::/8"], httpsOnly: true });
    await expect(allowing.checkTarget("https://10.1.2.3/")).resolves.toBeUndefined();
    await expect(allowing.checkTarget("http://10.1.2.3/")).resolves.toBeUndefined();
    await expect(allowing.checkTarget("http://[::ffff:10.1.2.3]/")).resolves.toBeUndefined();
    await expect(allowing.checkTarget("https://[fd00::1]/")).resolves.toBeUndefined();
    await expect(allowing.checkTarget("https://192.168.0.1/")).rejects.toEqual(forbidden);
    await expect(allowing.checkTarget("https://10.1.2.3:6379/")).rejects.toEqual(forbidden);
    await allowing.close();
  });

  it("allows plain http to public addresses only if https is not required", async () => {
    const strict = createUndiciOutboundHttp({
      allowNetworks: [],
      httpsOnly: true,
      resolveHost: hostileResolveHost,
    });
    await expect(strict.checkTarget("https://public.example/")).resolves.toBeUndefined();
    await expect(strict.checkTarget("http://public.example/")).rejects.toThrow("use https");
    await expect(strict.checkTarget("http://93.184.215.14/")).rejects.toEqual(forbidden);
    await expect(strict.checkTarget("http://not-registered-yet.example/")).rejects.toEqual(forbidden);
    await strict.close();
  });
});

it("refuses a network that is not one", () => {
  expect(() => createUndiciOutboundHttp({ allowNetworks: ["10.0.0.1"], httpsOnly: true })).toThrow("CIDR");
});

it("fails with its own error class and a message without the DNS answer", async () => {
  const error = await outbound.checkTarget("https://private.example/").catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(OutboundError);
  expect(String(error)).not.toContain("10.1.2.3");
});
