import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { UploadClients } from "@product-search/testing/images/upload-clients.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

const megabyte = 1024 * 1024;
let service: TestService;
let token: string;
let port: number;
beforeAll(async () => {
  // Memory for two uploads at a time.
  service = await createTestService({ limits: { largeBudgetBytes: 16 * megabyte } });
  token = await service.token();
  port = Number(new URL(await service.app.listen({ port: 0, host: "127.0.0.1" })).port);
});
afterAll(() => service.close());

/** The statuses that clients get. The clients run on their own thread, so that they do not wait for the service's. */
async function burst(readsWhileSending: boolean, headers: string): Promise<number[]> {
  const workerData: UploadClients = {
    port,
    count: 100,
    bytes: 4 * megabyte,
    readsWhileSending,
    head: `POST /api/v1/vectorize-image HTTP/1.1\r\nhost: service.test\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\n${headers}`,
  };
  const clients = new Worker(
    new URL("../../../../../packages/testing/src/images/upload-clients.ts", import.meta.url),
    {
      workerData,
    },
  );
  const [statuses] = await once(clients, "message");
  return statuses;
}

it.each([
  ["read while they send", true, ""],
  ["read when all is sent", false, ""],
  ["read when all is sent and want the connection closed", false, "connection: close\r\n"],
])("in a burst of uploads, refused clients that %s can read why", async (_, readsWhileSending, headers) => {
  const statuses = await burst(readsWhileSending, headers);
  const count = (status: number) => statuses.filter((one) => one === status).length;
  expect(count(503)).toBeGreaterThan(20);
  // The admitted uploads get an error, because their body is not JSON.
  expect(count(503)).toBeGreaterThanOrEqual(0.95 * (statuses.length - count(400)));
});
