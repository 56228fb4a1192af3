import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { describeWhere } from "../servers/suite.ts";

/** Runs where certificates can be made. Otherwise prints the reason and skips. */
export function describeWithOpenssl(name: string, body: () => void): void {
  const isInstalled = spawnSync("openssl", ["version"]).status === 0;
  describeWhere(
    name,
    isInstalled ? undefined : "there is no command openssl to make a certificate with",
    body,
  );
}

export interface Certificates {
  /** The file of a certificate authority that nobody knows. */
  caFile: string;
  /** Of a server named `localhost`, signed by it. */
  server: { key: Buffer; cert: Buffer };
  remove(): void;
}

export function createCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), "certificates-"));
  const file = (name: string) => join(folder, name);
  const make = (name: string, subject: string, ...more: string[]) =>
    execFileSync(
      "openssl",
      `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -keyout ${name}.key -out ${name}.crt`
        .split(" ")
        .concat("-subj", subject, ...more),
      { cwd: folder, stdio: "pipe" },
    );
  make("ca", "/CN=Rehearsal CA");
  const signed = ["-CA", "ca.crt", "-CAkey", "ca.key", "-addext", "basicConstraints=critical,CA:FALSE"];
  make("server", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", ...signed);
  return {
    caFile: file("ca.crt"),
    server: { key: readFileSync(file("server.key")), cert: readFileSync(file("server.crt")) },
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** PostgreSQL's request for TLS: its length and a number; the reply "S" means yes. */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

export interface TlsProxy {
  port: number;
  /** Connections that were refused because they were not encrypted. */
  unencrypted(): number;
  close(): Promise<void>;
}

interface TlsTarget {
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
