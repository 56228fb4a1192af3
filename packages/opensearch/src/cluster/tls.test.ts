import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  type Certificates,
  createCertificates,
  describeWithOpenssl,
  startTlsProxy,
  type TlsProxy,
} from "@product-search/testing/tls/certificates.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeOnOpenSearch, testNodes } from "../../testing/opensearch.ts";

const script = fileURLToPath(new URL("../../testing/ask-cluster.ts", import.meta.url));

describeWithOpenssl("encrypted connections", () => {
  describeOnOpenSearch("to OpenSearch", () => {
    let certificates: Certificates;
    let proxy: TlsProxy;
    beforeAll(async () => {
      certificates = createCertificates();
      const { port, hostname } = new URL(testNodes[0] ?? "");
      const target = { port: Number(port), host: hostname, isPostgres: false };
      proxy = await startTlsProxy(target, certificates.server);
    });
    afterAll(async () => {
      await proxy?.close();
      certificates?.remove();
    });

    /** Authorities are read when a process starts, so each case is one. */
    const ask = async (host: string, environment: Record<string, string>) => {
      const args = [script, `https://${host}:${proxy.port}`];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
      return stdout;
    };
    const trusting = () => ({ NODE_EXTRA_CA_CERTS: certificates.caFile });

    test("work with the file of a certificate authority", async () => {
      expect(await ask("localhost", trusting())).toContain("cluster_name");
    });

    test("fail for an unknown authority, and for another host", async () => {
      await expect(ask("localhost", {})).rejects.toThrow("certificate");
      await expect(ask("127.0.0.1", trusting())).rejects.toThrow("altnames");
    });
  });
});
