import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createImportFixture, type ImportFixture, nativeLine } from "../../testing/import-fixture.ts";

let fixture: ImportFixture;
let server: Server;
let respond: RequestListener;
let url: string;
const asked: (string | undefined)[] = [];

beforeEach(async () => {
  asked.length = 0;
  fixture = await createImportFixture();
  server = createServer((request, response) => {
    asked.push(request.headers["if-none-match"] ?? request.headers["if-modified-since"]);
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}/feed.jsonl`;
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await fixture.close();
});

describe("a feed from a URL", () => {
  test("is fetched, gzipped or not, with If-None-Match the next time", async () => {
    respond = (request, response) => {
      if (request.headers["if-none-match"] === '"v1"') return response.writeHead(304).end();
      return response.writeHead(200, { etag: '"v1"' }).end(gzipSync(nativeLine("a")));
    };
    expect(await fixture.run(url)).toMatchObject({ created: 1, notModified: false });
    expect(await fixture.run(url)).toMatchObject({ created: 0, rows: 0, notModified: true });
    expect(await fixture.run(url, { again: true })).toMatchObject({ unchanged: 1, notModified: false });
    expect(asked).toEqual([undefined, '"v1"', undefined]);
  });

  test("is fetched with If-Modified-Since if there is no ETag", async () => {
    const date = "Sat, 21 Nov 2026 12:00:00 GMT";
    respond = (_, response) => response.writeHead(200, { "last-modified": date }).end(nativeLine("a"));
    await fixture.run(url);
    await fixture.run(url);
    expect(asked).toEqual([undefined, date]);
  });

  test("is read again after another feed has overwritten its products", async () => {
    respond = (_, response) => response.writeHead(200, { etag: '"v1"' }).end(nativeLine("a"));
    await fixture.run(url);
    await fixture.run(fixture.file(nativeLine("a", { price: 1 })));
    await fixture.run(url, { source: "catalog" });
    expect(asked).toEqual([undefined, undefined]);
    expect(await fixture.products()).toMatchObject([{ priceMinor: 1999 }]);
  });

  test("does not count as imported if it ended early", async () => {
    respond = (_, response) => response.writeHead(200, { etag: '"v1"' }).end('{"_id":');
    await expect(fixture.run(url)).rejects.toThrow("ends early");
    await expect(fixture.run(url)).rejects.toThrow("ends early");
    expect(asked).toEqual([undefined, undefined]);
  });

  test.each<[string, RequestListener, RegExp]>([
    ["responds with an error", (_, response) => response.writeHead(404).end("gone"), /status 404/],
    [
      "announces more than it sends",
      (_, response) => {
        response.writeHead(200, { "content-length": 10_000 });
        response.write(nativeLine("a"));
        setTimeout(() => response.destroy(), 20);
      },
      /could not be fetched/,
    ],
    [
      "closes the connection in the middle of a chunked response",
      (_, response) => {
        response.write(nativeLine("a"));
        setTimeout(() => response.destroy(), 20);
      },
      /could not be fetched/,
    ],
    [
      "announces less than it sends",
      (request) => {
        request.socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 40\r\n\r\n${nativeLine("a")}`);
      },
      /ends early/,
    ],
    [
      "redirects to a private address",
      (_, response) => response.writeHead(302, { location: "http://10.0.0.1/" }).end(),
      /could not be fetched/,
    ],
    [
      "redirects in a loop",
      (request, response) => response.writeHead(302, { location: request.url }).end(),
      /could not be fetched/,
    ],
  ])("changes nothing when its server %s", async (_, listener, message) => {
    respond = listener;
    await expect(fixture.run(url, { absent: "out_of_stock" })).rejects.toThrow(message);
    expect(await fixture.products()).toEqual([]);
  });

  test.each<[string, RequestListener]>([
    ["never responds", () => {}],
    ["stops sending in the middle", (_, response) => response.write(nativeLine("a"))],
  ])("fails when its server %s, and does not block the next one", async (_, listener) => {
    fixture.deps.outboundHttp = createUndiciOutboundHttp({
      allowNetworks: ["127.0.0.0/8"],
      httpsOnly: false,
      idleTimeoutMs: 200,
    });
    respond = listener;
    await expect(fixture.run(url, { absent: "out_of_stock" })).rejects.toThrow(/did not respond in time/);
    expect(await fixture.products()).toEqual([]);
    expect(await fixture.run(fixture.file(nativeLine("b")))).toMatchObject({ created: 1 });
  });

  test("on a private address is refused unless its network is allowed", async () => {
    const strict = await createImportFixture({ FETCH_ALLOW_NETWORKS: "" });
    respond = (_, response) => response.end(nativeLine("a"));
    await expect(strict.run(url)).rejects.toThrow(/FETCH_ALLOW_NETWORKS/);
    expect(asked).toEqual([]);
    await strict.close();
  });
});
