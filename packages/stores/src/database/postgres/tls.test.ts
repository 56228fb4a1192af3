import {
  type Certificates,
  createCertificates,
  describeWithOpenssl,
} from "@product-search/testing/tls/certificates.ts";
import { startTlsProxy, type TlsProxy } from "@product-search/testing/tls/tls-proxy.ts";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, describeOnPostgres, type TestDatabase } from "../../../testing/postgres.ts";
import { openPostgres } from "./open.ts";

describeWithOpenssl("encrypted connections", () => {
  describeOnPostgres("to PostgreSQL", () => {
    let certificates: Certificates;
    let database: TestDatabase;
    let proxy: TlsProxy;
    beforeAll(async () => {
      certificates = createCertificates();
      database = await createTestDatabase();
      const { port, hostname } = new URL(database.url);
      const target = { port: Number(port || 5432), host: hostname, isPostgres: true };
      proxy = await startTlsProxy(target, certificates.server);
    });
    afterAll(async () => {
      await proxy?.close();
      await database?.drop();
      certificates?.remove();
    });

    const addressOf = (options: string, host = "localhost") => {
      const url = new URL(database.url);
      url.host = `${host}:${proxy.port}`;
      return `${url.href}?${options}`;
    };
    const opened = async (url: string) => {
      const { db, close } = await openPostgres({ url });
      const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db).finally(close);
      return rows;
    };

    test("work with the file of a certificate authority", async () => {
      const url = addressOf(`sslmode=verify-full&sslrootcert=${certificates.caFile}`);
      expect(await opened(url)).toEqual([{ one: 1 }]);
    });

    test("fail when the certificate is signed by an unknown authority", async () => {
      await expect(opened(addressOf("sslmode=verify-full"))).rejects.toThrow(/certificate/);
    });

    test("fail when the certificate is for another host", async () => {
      const url = addressOf(`sslmode=verify-full&sslrootcert=${certificates.caFile}`, "127.0.0.1");
      await expect(opened(url)).rejects.toThrow(/certificate|altnames/);
    });

    test("are not attempted without sslmode: the server decides", async () => {
      await expect(opened(addressOf(""))).rejects.toThrow();
      expect(proxy.unencrypted()).toBeGreaterThan(0);
    });
  });
});
