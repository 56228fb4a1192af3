import { createServer } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { listen } from "@product-search/testing/outbound-http/listen.ts";
import { type NameServer, startNameServer } from "@product-search/testing/outbound-http/name-server.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createResolveHost } from "./resolve-host.ts";
import { createUndiciOutboundHttp } from "./undici.ts";

// A real name server on loopback with the smallest TTL, whose second answer differs from the first.

const server = createServer((_, response) => response.end("inside"));
let port: number;
let names: NameServer;
const asked = new Map<string, number>();
const answers: Record<string, string[]> = {
  // First the public address, then the internal one, and in the other order.
  "turning.test": ["93.184.215.14", "127.0.0.1"],
  "returning.test": ["127.0.0.1", "10.0.0.1"],
};

beforeAll(async () => {
  port = await listen(server);
  names = await startNameServer((type, name) => {
    if (type !== "A") return undefined;
    const turn = asked.get(name) ?? 0;
    asked.set(name, turn + 1);
    return answers[name]?.[Math.min(turn, 1)];
  });
});
afterAll(async () => {
  server.close();
  await names.close();
});

const open = (allowNetworks: string[]) =>
  createUndiciOutboundHttp({
    allowNetworks,
    httpsOnly: false,
    resolveHost: createResolveHost({ nameServers: [names.address] }),
  });

describe("a name server that changes its answer", () => {
  it("gains nothing with a harmless answer to the first check", async () => {
    const outbound = open([]);
    const url = `http://turning.test:${port}/`;
    await outbound.checkTarget(url);
    await expect(outbound.send({ url, timeoutMs: 5000, maxResponseBytes: 100 })).rejects.toMatchObject({
      failure: "forbidden_target",
    });
    expect(asked.get("turning.test")).toBe(2);
    await outbound.close();
  });

  it("is queried once per connection: the checked address is the one connected to", async () => {
    const outbound = open(["127.0.0.0/8"]);
    const url = `http://returning.test:${port}/`;
    const response = await outbound.send({ url, timeoutMs: 5000, maxResponseBytes: 100 });
    expect(await text(Readable.from(response.body))).toBe("inside");
    expect(asked.get("returning.test")).toBe(1);
    await outbound.close();
  });
});

describe("names", () => {
  it("that do not exist fail, and localhost needs no query", async () => {
    const resolveHost = createResolveHost({ nameServers: [names.address] });
    await expect(resolveHost("absent.test")).rejects.toThrow("no address");
    names.questions.length = 0;
    expect(await resolveHost("localhost")).toEqual(["127.0.0.1", "::1"]);
    expect(await resolveHost("api.localhost.")).toEqual(["127.0.0.1", "::1"]);
    expect(names.questions).toEqual([]);
  });
});
