import { connect, createServer, type Socket } from "node:net";

export interface TcpProxy {
  port: number;
  /** Closes all connections and accepts no new ones, like a server that is down. */
  cut(): void;
  /** Stops forwarding without closing connections, like a broken network. */
  silence(): void;
  restore(): void;
  close(): Promise<void>;
}

/** A proxy in front of a server that must not be stopped itself. */
export async function startTcpProxy(targetPort: number, targetHost: string): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let state: "open" | "cut" | "silent" = "open";
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const server = createServer((client) => {
    keep(client);
    if (state === "cut") client.destroy();
    if (state !== "open") return;
    const target = connect(targetPort, targetHost);
    keep(target);
    client.on("data", (bytes) => state === "open" && target.write(bytes));
    target.on("data", (bytes) => state === "open" && client.write(bytes));
    client.on("close", () => target.destroy());
    target.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === "object" && address ? address.port : 0,
    cut() {
      state = "cut";
      endAll();
    },
    silence() {
      state = "silent";
    },
    restore() {
      state = "open";
      endAll();
    },
    close() {
      endAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
