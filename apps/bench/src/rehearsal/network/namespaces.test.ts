import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { describeWhere } from "@product-search/testing/servers/suite.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createNamespaces } from "./namespaces.ts";
import type { Host, Network } from "./network.ts";

const port = 7000;
const echo = `require("node:net").createServer((socket) => socket.pipe(socket)).listen(${port}, () => console.log("ready"))`;
const probe = `require("node:net").connect(${port}, process.argv[1]).on("connect", () => process.exit(0)).setTimeout(500, () => process.exit(1))`;

const missing = (() => {
  try {
    void createNamespaces().close();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
})();

describeWhere("network namespaces", missing, () => {
  let network: Network;
  let server: Host;
  let client: Host;
  let child: ChildProcess;
  const open: Socket[] = [];

  beforeAll(async () => {
    network = createNamespaces();
    [server, client] = [network.addHost(), network.addHost()];
    const [command, args] = server.command(process.execPath, ["-e", echo]);
    child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
    if (child.stdout) await once(child.stdout, "data");
  });
  afterAll(async () => {
    for (const socket of open) socket.destroy();
    child.kill("SIGKILL");
    await network.close();
  });

  const reach = async (address: string) => {
    const socket = connect(port, address).setEncoding("utf8");
    open.push(socket);
    await once(socket, "connect");
    return socket;
  };
  const answers = (socket: Socket, text: string) => {
    const answer = once(socket, "data").then(([data]) => data === text);
    socket.write(text);
    return Promise.race([answer, delay(500, false)]);
  };
  const canConnect = (from: Host) => {
    const [command, args] = from.command(process.execPath, ["-e", probe, server.peerAddress]);
    return spawnSync(command, args).status === 0;
  };

  test("connect parts with each other and with this process", async () => {
    expect(canConnect(client)).toBe(true);
    expect(await answers(await reach(server.address), "front")).toBe(true);
  });

  test("lose the packets of a host that is cut off, until it is restored", async () => {
    const [front, back] = [await reach(server.address), await reach(server.peerAddress)];
    for (const link of server.links) link.silence();
    expect(canConnect(client)).toBe(false);
    expect(await answers(back, "lost for now")).toBe(false);
    expect(await answers(front, "never cut")).toBe(true);
    for (const link of server.links) link.restore();
    expect(canConnect(client)).toBe(true);
    expect(back.destroyed).toBe(false);
    await expect.poll(() => back.bytesRead, { timeout: 10_000 }).toBe("lost for now".length);
  });
});
