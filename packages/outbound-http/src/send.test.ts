import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { createServer as createTcpServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import type { OutboundHttp, OutboundRequest } from "@product-search/core/ports/outbound-http.ts";
import { listen } from "@product-search/testing/outbound-http/listen.ts";
import { afterEach, describe, expect, it } from "vitest";
import { createResolveHost } from "./resolve-host.ts";
import { createUndiciOutboundHttp, type UndiciOutboundHttpSettings } from "./undici.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function outboundHttp(settings: Partial<UndiciOutboundHttpSettings> = {}): OutboundHttp {
  const outbound = createUndiciOutboundHttp({
    allowNetworks: ["127.0.0.0/8", "::1/128"],
    httpsOnly: false,
    ...settings,
  });
  closers.push(() => outbound.close());
  return outbound;
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer({ maxHeaderSize: 1_000_000 }, listener);
  closers.push(() => stop(server));
  return `http://127.0.0.1:${await listen(server)}`;
}

async function serveTcp(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    onSocket(socket);
  });
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${await listen(server)}`;
}

function stop(server: Server): Promise<unknown> {
  server.close();
  server.closeAllConnections();
  return once(server, "close");
}

const asked = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  url,
  timeoutMs: 5_000,
  maxResponseBytes: 100_000,
  ...more,
});
const failing = (failure: string) => expect.objectContaining({ name: "OutboundError", failure });
const decode = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe("an ordinary exchange", () => {
  it("sends method, headers and body, and returns status, headers and bytes", async () => {
    const url = await serve(async (request, response) => {
      response.writeHead(202, {
        "x-method": request.method,
        "x-sent": request.headers["x-sent"],
        "x-list": ["a", "b"],
      });
      response.end(`${request.headers["accept-encoding"]} ${await text(request)}`);
    });
    const response = await outboundHttp().send(
      asked(`${url}/a?b=c`, { method: "POST", headers: { "x-sent": "yes" }, body: "bytes" }),
    );
    expect(response).toMatchObject({ status: 202, url: `${url}/a?b=c` });
    expect(response.headers).toMatchObject({ "x-method": "POST", "x-sent": "yes", "x-list": "a, b" });
    expect(decode(await response.bytes())).toBe("identity bytes");
  });

  it("returns a response of any status, including redirects if they are not followed", async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: "http://10.0.0.1/" }).end());
    const response = await outboundHttp().send(asked(url));
    response.discard();
    expect(response.status).toBe(302);
  });

  it("streams, and closes the connection when the reader stops early", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write("x".repeat(1_000)), 1);
      response.once("close", () => {
        clearInterval(timer);
        closed.resolve();
      });
    });
    const response = await outboundHttp().send(asked(url, { maxResponseBytes: 1e9 }));
    for await (const chunk of response.body) {
      expect(chunk.byteLength).toBeGreaterThan(0);
      break;
    }
    await closed.promise;
  });

  it("closes the connection of a response that is discarded", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await serve((_, response) => {
      response.once("close", closed.resolve);
      response.write("more will never come");
    });
    (await outboundHttp().send(asked(url))).discard();
    await closed.promise;
  });

  it("leaves no timer behind", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    const url = await serve((_, response) => response.end("done"));
    const outbound = outboundHttp();
    const before = timers();
    for (let count = 0; count < 20; count++)
      await (await outbound.send(asked(url, { timeoutMs: 600_000 }))).bytes();
    expect(timers() - before).toBeLessThan(10);
  });

  it("decompresses on request, and counts the decompressed bytes", async () => {
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(5_000_000, "a")));
    });
    const outbound = outboundHttp();
    const whole = await outbound.send(asked(url, { compressed: true, maxResponseBytes: 5_000_000 }));
    expect((await whole.bytes()).byteLength).toBe(5_000_000);
    const bomb = await outbound.send(asked(url, { compressed: true, maxResponseBytes: 4_999_999 }));
    await expect(bomb.bytes()).rejects.toEqual(failing("too_large"));
  });

  it("fails on a damaged compressed body", async () => {
    const url = await serve((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip"),
    );
    const response = await outboundHttp().send(asked(url, { compressed: true }));
    await expect(response.bytes()).rejects.toEqual(failing("connection"));
  });
});

describe("responses that fail", () => {
  it("stops an endless body at the limit", async () => {
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(10_000)), 1);
      response.once("close", () => clearInterval(timer));
    });
    const response = await outboundHttp().send(asked(url));
    await expect(response.bytes()).rejects.toEqual(failing("too_large"));
  });

  it("stops a slow body at the total timeout", async () => {
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write("."), 20);
      response.once("close", () => clearInterval(timer));
    });
    const response = await outboundHttp().send(asked(url, { timeoutMs: 200 }));
    await expect(response.bytes()).rejects.toEqual(failing("timeout"));
  });

  it("stops slow header fields at the timeout", async () => {
    const url = await serveTcp((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      const timer = setInterval(() => socket.write("x-a: b\r\n"), 20);
      socket.once("close", () => clearInterval(timer));
    });
    await expect(outboundHttp().send(asked(url, { timeoutMs: 200 }))).rejects.toEqual(failing("timeout"));
  });

  it("stops a silent server at the timeout even if it keeps sending informational responses", async () => {
    const url = await serveTcp((socket) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 20);
      socket.once("close", () => clearInterval(timer));
    });
    await expect(outboundHttp().send(asked(url, { timeoutMs: 200 }))).rejects.toEqual(failing("timeout"));
  });

  it("stops a server that never completes the connection at the timeout", async () => {
    const url = await serveTcp(() => {});
    const sentMs = performance.now();
    const sending = outboundHttp().send(asked(url.replace("http:", "https:"), { timeoutMs: 200 }));
    await expect(sending).rejects.toEqual(failing("timeout"));
    expect(performance.now() - sentMs).toBeLessThan(5000);
  });

  it.each([10_000, 300])("refuses %i header fields", async (count) => {
    const url = await serveTcp((socket) => {
      const fields = Array.from({ length: count }, (_, index) => `x-${index}: ${index}\r\n`).join("");
      socket.end(`HTTP/1.1 200 OK\r\n${fields}content-length: 0\r\n\r\n`);
    });
    await expect(outboundHttp().send(asked(url))).rejects.toEqual(failing("too_large"));
  });

  it("refuses one endless header field", async () => {
    const url = await serveTcp((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\nx-long: ${"a".repeat(20_000)}\r\ncontent-length: 0\r\n\r\n`);
    });
    await expect(outboundHttp().send(asked(url))).rejects.toEqual(failing("too_large"));
  });

  it.each([
    ["a reset", (socket: Socket) => socket.resetAndDestroy()],
    ["an early end", (socket: Socket) => socket.end()],
    ["something that is not HTTP", (socket: Socket) => socket.end("220 mail.example ESMTP\r\n")],
    [
      "two lengths",
      (socket: Socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"),
    ],
  ])("calls %s a failed connection", async (_, onSocket) => {
    const url = await serveTcp((socket) => socket.once("data", () => onSocket(socket)));
    await expect(outboundHttp().send(asked(url))).rejects.toEqual(failing("connection"));
  });

  it("reports a body that ends early as a failed connection", async () => {
    const url = await serveTcp((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf"));
    });
    const response = await outboundHttp().send(asked(url));
    await expect(response.bytes()).rejects.toEqual(failing("connection"));
  });

  it("takes localhost for this machine without a query", async () => {
    for (const name of ["localhost", "api.localhost."])
      expect(await createResolveHost()(name)).toEqual(["127.0.0.1", "::1"]);
  });

  it("reports a refused connection and an unknown name as a failed connection", async () => {
    const resolveHost = () => Promise.reject(new Error("ENOTFOUND"));
    await expect(outboundHttp().send(asked("http://127.0.0.1:9/"))).rejects.toEqual(
      failing("forbidden_target"),
    );
    const server = createTcpServer();
    const port = await listen(server);
    server.close();
    await expect(outboundHttp().send(asked(`http://127.0.0.1:${port}/`))).rejects.toEqual(
      failing("connection"),
    );
    await expect(outboundHttp({ resolveHost }).send(asked("http://nowhere.example/"))).rejects.toThrow(
      "does not resolve",
    );
  });

  it("stops when the caller aborts, before and during the exchange", async () => {
    const url = await serve(() => {});
    const controller = new AbortController();
    const sending = outboundHttp().send(asked(url), controller.signal);
    setTimeout(() => controller.abort(), 50);
    await expect(sending).rejects.toEqual(failing("aborted"));
    await expect(outboundHttp().send(asked(url), controller.signal)).rejects.toEqual(failing("aborted"));
  });
});

describe("redirects", () => {
  const follow = { redirects: { max: 3 } };

  it("follows up to the limit and drops secrets for another origin", async () => {
    const target = await serve((request, response) => response.end(JSON.stringify(request.headers)));
    const url = await serve((request, response) => {
      response.writeHead(307, { location: request.url === "/" ? "/again" : target }).end();
    });
    const headers = {
      authorization: "Bearer secret",
      "x-api-key": "secret",
      cookie: "secret",
      accept: "text/csv",
    };
    const response = await outboundHttp().send(asked(`${url}/`, { ...follow, headers }));
    expect(response.url).toBe(`${target}/`);
    const arrived = decode(await response.bytes());
    expect(arrived).toContain("text/csv");
    expect(arrived).not.toContain("secret");
  });

  it("keeps a POST with 307 and 308 and turns it into a GET otherwise", async () => {
    const url = await serve(async (request, response) => {
      const status = Number(request.url?.slice(1));
      if (status > 0) response.writeHead(status, { location: "/0" }).end();
      else response.end(`${request.method} ${await text(request)}`);
    });
    const outbound = outboundHttp();
    for (const [status, arrived] of [
      [301, "GET "],
      [303, "GET "],
      [307, "POST x"],
      [308, "POST x"],
    ]) {
      const response = await outbound.send(
        asked(`${url}/${status}`, { ...follow, method: "POST", body: "x" }),
      );
      expect(decode(await response.bytes())).toBe(arrived);
    }
  });

  it("stops a loop", async () => {
    const url = await serve((_, response) => response.writeHead(302, { location: "/" }).end());
    await expect(outboundHttp().send(asked(url, follow))).rejects.toEqual(failing("redirect"));
  });

  it.each([
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "https://[::ffff:10.0.0.1]/",
    "//192.168.0.1/",
    "http://user:password@127.0.0.1/",
    "file:///etc/passwd",
    "http://127.0.0.1:6379/",
    "http://private.test/",
  ])("judges the next hop: %s is refused", async (location) => {
    const url = await serve((_, response) => response.writeHead(302, { location }).end());
    const resolveHost = async () => ["10.0.0.1"];
    await expect(outboundHttp({ resolveHost }).send(asked(url, follow))).rejects.toEqual(
      failing("forbidden_target"),
    );
  });

  it("stays on the same host if that is required", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/here") response.end("here");
      else
        response.writeHead(302, { location: request.url === "/stay" ? "/here" : "http://localhost/" }).end();
    });
    const redirects = { max: 3, sameHostOnly: true };
    const stayed = await outboundHttp().send(asked(`${url}/stay`, { redirects }));
    expect(decode(await stayed.bytes())).toBe("here");
    await expect(outboundHttp().send(asked(`${url}/leave`, { redirects }))).rejects.toEqual(
      failing("redirect"),
    );
  });
});

describe("name servers that change their answer", () => {
  it("connects to the DNS answer that was checked, and checks each new answer", async () => {
    let connections = 0;
    const url = await serveTcp(() => connections++);
    const { port } = new URL(url);
    const responses = [["93.184.215.14"], ["127.0.0.1"]];
    const resolveHost = async () => responses.shift() ?? ["127.0.0.1"];
    const outbound = outboundHttp({ allowNetworks: [], resolveHost });
    await outbound.checkTarget(`http://rebinding.test:${port}/`);
    await expect(outbound.send(asked(`http://rebinding.test:${port}/`))).rejects.toEqual(
      failing("forbidden_target"),
    );
    expect(connections).toBe(0);
  });

  it("queries once per connection, so that a second, hostile DNS answer is never used", async () => {
    const url = await serve((_, response) => response.end("pinned"));
    let questions = 0;
    const resolveHost = async () => (questions++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"]);
    const response = await outboundHttp({ resolveHost }).send(
      asked(`http://pinned.test:${new URL(url).port}/`),
    );
    expect(decode(await response.bytes())).toBe("pinned");
    expect(questions).toBe(1);
  });
});

describe("the network of a connection", () => {
  it("is told before it is made and when it is made, for each hop", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/") response.writeHead(302, { location: `http://other.test:${port}/next` });
      response.end("ok");
    });
    const { port } = new URL(url);
    const resolveHost = async (host: string) => [host === "other.test" ? "127.0.0.2" : "127.0.0.1"];
    const networks: string[] = [];
    const onNetwork = (network: string) => void networks.push(network);
    const first = asked(`http://first.test:${port}/`, { redirects: { max: 1 }, onNetwork });
    await expect(outboundHttp({ resolveHost }).send(first)).rejects.toEqual(failing("connection"));
    expect(networks).toEqual(["127.0.0.1", "127.0.0.1", "127.0.0.2"]);
  });

  it("is each address of the answer, those of IPv6 by their /64", async () => {
    const networks: string[] = [];
    const resolveHost = async () => ["2001:db8::1", "127.0.0.1", "2001:db8::2"];
    const refused = outboundHttp({ resolveHost, allowNetworks: ["127.0.0.0/8", "2001:db8::/32"] }).send(
      asked("http://named.test/", {
        onNetwork(network) {
          networks.push(network);
          throw new Error("not there");
        },
      }),
    );
    await expect(refused).rejects.toEqual(failing("connection"));
    expect(networks).toEqual(["127.0.0.1,2001:db8:0:0"]);
  });

  it("ends the request without a connection if it is not wanted", async () => {
    let connections = 0;
    const { port } = new URL(await serveTcp(() => connections++));
    const onNetwork = () => {
      throw new Error("not there");
    };
    const outbound = outboundHttp({ resolveHost: async () => ["127.0.0.1"] });
    for (const host of ["named.test", "127.0.0.1"])
      await expect(outbound.send(asked(`http://${host}:${port}/`, { onNetwork }))).rejects.toEqual(
        failing("connection"),
      );
    expect(connections).toBe(0);
  });
});

describe("TLS", () => {
  const certificate = (name: string) =>
    readFileSync(
      new URL(`../../testing/src/outbound-http/certificates/${name}.pem`, import.meta.url),
      "utf8",
    );

  async function serveTls(cert: string): Promise<string> {
    const server = createTlsServer({ key: certificate("key"), cert: certificate(cert) }, (_, response) =>
      response.end("safe"),
    );
    closers.push(() => stop(server));
    return String(await listen(server));
  }
  const resolveHost = async () => ["127.0.0.1"];

  it("accepts a certificate of a trusted authority for the right name", async () => {
    const port = await serveTls("valid");
    const outbound = outboundHttp({ resolveHost, ca: certificate("valid") });
    const response = await outbound.send(asked(`https://receiver.test:${port}/`));
    expect(decode(await response.bytes())).toBe("safe");
  });

  it("refuses an unknown authority, another name, an expired certificate, and what is not TLS", async () => {
    const port = await serveTls("valid");
    const expired = await serveTls("expired");
    const plain = new URL(await serve((_, response) => response.end("plain"))).port;
    const trusting = (ca: string) => outboundHttp({ resolveHost, ca: certificate(ca) });
    const refusals = [
      outboundHttp({ resolveHost }).send(asked(`https://receiver.test:${port}/`)),
      trusting("valid").send(asked(`https://other.test:${port}/`)),
      trusting("valid").send(asked(`https://127.0.0.1:${port}/`)),
      trusting("expired").send(asked(`https://receiver.test:${expired}/`)),
      trusting("valid").send(asked(`https://receiver.test:${plain}/`)),
    ];
    const outcomes = await Promise.allSettled(refusals);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: "rejected", reason: failing("tls") });
  });
});
