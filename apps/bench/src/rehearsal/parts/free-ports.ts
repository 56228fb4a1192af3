import { once } from "node:events";
import { createServer } from "node:net";

/** Ports that are free now, all different. Servers keep theirs when they are started again. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === "object" && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
}
