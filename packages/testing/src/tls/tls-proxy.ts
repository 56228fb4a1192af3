import { connect, createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Certificates } from "./certificates.ts";

/** PostgreSQL's request for TLS: its length and a number; the reply "S" means yes. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export interface TlsProxy {
  port: number;
  /** Connections that were refused because they were not encrypted. */
  unencrypted(): number;
  close(): Promise<void>;
}

export interface TlsTarget {
  port: number;
  host: string;
  /** PostgreSQL's clients ask for TLS first, others begin with it. */
  isPostgres: boolean;
}

/** Encrypts connections to a server that has no certificate. Accepts no others. */
export async function startTlsProxy(
  { port, host, isPostgres }: TlsTarget,
  { key, cert }: Certificates["server"],
): Promise<TlsProxy> {
  const sockets = new Set<Socket>();
  let unencrypted = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const encrypt = (client: Socket) => {
    const encrypted = new TLSSocket(client, { isServer: true, key, cert });
    const target = connect(port, host);
    keep(target);
    keep(encrypted);
    encrypted.pipe(target).pipe(encrypted);
    encrypted.on("close", () => target.destroy());
  };
  const server = createServer((client) => {
    keep(client);
    if (!isPostgres) return encrypt(client);
    client.once("data", (first: Buffer) => {
      if (!sslRequest.equals(first)) {
        unencrypted += 1;
        return client.destroy();
      }
      client.write("S");
      encrypt(client);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    unencrypted: () => unencrypted,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
