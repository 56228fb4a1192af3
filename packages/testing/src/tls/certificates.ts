import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
