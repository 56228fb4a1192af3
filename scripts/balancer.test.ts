import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { get } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { freePort } from "../packages/testing/src/outbound-http/listen.ts";
import { describeOnServer } from "../packages/testing/src/servers/suite.ts";
import { createCertificates } from "../packages/testing/src/tls/certificates.ts";
import { root } from "./docs-blocks.ts";

const haproxy = process.env.HAPROXY ?? "haproxy";
const missing =
  spawnSync(haproxy, ["-v"]).status === 0
    ? undefined
    : "it needs Debian's `haproxy`, or one named in HAPROXY";
const search = "/api/v1/search/catalog?q=lamp";

type Respond = (attempt: number, response: ServerResponse, request: IncomingMessage) => void;
const hang = () => {};
const succeed = (response: ServerResponse) => void response.end("found");

/** What the nodes do with requests that are no checks, and how many they have got. */
let respond: Respond;
let attempts: number;
let areReady: boolean;

function handle(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === "/healthz") return void response.end();
  if (request.url === "/readyz") return void response.writeHead(areReady ? 200 : 503).end();
  attempts += 1;
  respond(attempts, response, request);
}

/** The shipped configuration for nodes of this test, with times that are ten times shorter. */
function configurationFor(port: number, tlsPort: number, nodePorts: readonly number[]): string {
  return readFileSync(join(root, "deploy/haproxy.cfg"), "utf8")
    .replace(/^resolvers [\s\S]*?\n\n/m, "")
    .replace("resolvers containers init-addr libc,none", "")
    .replace("bind :3000", `bind 127.0.0.1:${port}`)
    .replace("bind :3443", `bind 127.0.0.1:${tlsPort}`)
    .replace("/usr/local/etc/haproxy/tls/", "")
    .replaceAll(/node-(\d):3000/g, (_, number) => `127.0.0.1:${nodePorts[number - 1]}`)
    .replace("timeout server 60s", "timeout server 600ms")
    .replaceAll("set-timeout server 2s", "set-timeout server 200ms")
    .replace("inter 500ms", "inter 50ms");
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

describeOnServer("deploy/haproxy.cfg", missing, () => {
  const folder = mkdtempSync(join(tmpdir(), "balancer-"));
  const nodes: Server[] = [];
  let balancer: ChildProcess;
  let url: string;
  let tlsPort: number;
  const certificates = createCertificates();

  beforeAll(async () => {
    areReady = true;
    for (let number = 0; number < 3; number += 1) {
      const node = createServer(handle).listen(0, "127.0.0.1");
      await once(node, "listening");
      nodes.push(node);
    }
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const file = join(folder, "haproxy.cfg");
    const ports = nodes.map((node) => (node.address() as AddressInfo).port);
    tlsPort = await freePort();
    writeFileSync(file, configurationFor(port, tlsPort, ports));
    const certificate = join(folder, "tls.pem");
    writeFileSync(certificate, Buffer.concat([certificates.server.cert, certificates.server.key]));
    const env = { ...process.env, TLS_CERTIFICATE: certificate };
    balancer = spawn(haproxy, ["-f", file], { stdio: "ignore", env });
    while (!(await accepts(port))) await setTimeout(20);
    // Without a certificate, it does not encrypt.
    expect(spawnSync(haproxy, ["-c", "-f", file], { env: { ...env, TLS_CERTIFICATE: "" } }).status).toBe(0);
  });
  afterAll(async () => {
    balancer.kill();
    await once(balancer, "exit");
    for (const node of nodes) {
      node.closeAllConnections();
      node.close();
    }
    rmSync(folder, { recursive: true });
    certificates.remove();
  });
  beforeEach(() => {
    attempts = 0;
    areReady = true;
    respond = (_, response) => succeed(response);
  });

  it("sends a search to one other node if the first one hangs", async () => {
    respond = (attempt, response) => (attempt === 1 ? hang() : succeed(response));
    expect(await (await fetch(`${url}${search}`)).text()).toBe("found");
    expect(attempts).toBe(2);
  });

  it("sends a search to one other node if the first one is not available", async () => {
    respond = (attempt, response) => (attempt === 1 ? void response.writeHead(503).end() : succeed(response));
    expect((await fetch(`${url}${search}`)).status).toBe(200);
    expect(attempts).toBe(2);
  });

  it.each([
    ["POST", "/api/v1/deep-search"],
    ["GET", "/api/v1/search/marketplace-a?q=lamp"],
  ])("does not repeat %s %s, and waits longer for it", async (method, path) => {
    respond = (_, response) => void setTimeout(400).then(() => succeed(response));
    expect((await fetch(`${url}${path}`, { method })).status).toBe(200);
    respond = hang;
    attempts = 0;
    expect((await fetch(`${url}${path}`, { method })).status).toBe(504);
    expect(attempts).toBe(1);
  });

  it("replaces the address that a client claims to have", async () => {
    respond = (_, response, { headers }) => void response.end(headers["x-forwarded-for"]);
    const response = await fetch(`${url}${search}`, { headers: { "x-forwarded-for": "203.0.113.9" } });
    expect(await response.text()).toBe("127.0.0.1");
  });

  it("encrypts with the certificate of the operator", async () => {
    const ca = readFileSync(certificates.caFile);
    const options = { ca, servername: "localhost", ALPNProtocols: ["h2", "http/1.1"] };
    const socket = connectTls(tlsPort, "127.0.0.1", options);
    await once(socket, "secureConnect");
    expect([socket.authorized, socket.alpnProtocol]).toEqual([true, "h2"]);
    socket.destroy();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get({ ca, host: "localhost", port: tlsPort, path: search, family: 4 }, resolve).once("error", reject);
    });
    expect([response.statusCode, response.headers["strict-transport-security"]]).toEqual([
      200,
      "max-age=31536000",
    ]);
    response.resume();
  });

  it("sends requests to all nodes while none is ready", async () => {
    areReady = false;
    await setTimeout(400);
    expect((await fetch(`${url}${search}`)).status).toBe(200);
  });
});
