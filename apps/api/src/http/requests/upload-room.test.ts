import { request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";
import { connectionLimits } from "../connections/connection-limits.ts";

let service: TestService;
let token: string;
let port: number;
beforeAll(async () => {
  service = await createTestService({ environment: { TRUST_PROXY: "127.0.0.1,::1" } });
  token = await service.token();
  await service.app.listen({ port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
});
afterAll(() => service.close());

const megabyte = 1024 * 1024;
/** A long timeout, because other suites may use the same cores. */
const longTest = { timeout: 30_000 };

/** Announces a body and does not send it. */
function announce(headers: Record<string, string | number>) {
  const upload = request({
    port,
    method: "POST",
    path: "/api/v1/vectorize-image",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
  });
  const responded = new Promise<{ status: number | undefined; retryAfter: string | undefined }>((resolve) => {
    upload.on("response", (response) => {
      response.resume();
      resolve({ status: response.statusCode, retryAfter: response.headers["retry-after"] });
    });
    upload.on("error", () => resolve({ status: undefined, retryAfter: undefined }));
  });
  upload.flushHeaders();
  return { upload, responded };
}

it("refuses uploads above a token's share of the memory until others have ended", async () => {
  const size = 8 * megabyte;
  const fitting = Array.from({ length: connectionLimits.largeBudgetBytes / 2 / size }, () =>
    announce({ "content-length": size }),
  );
  await vi.waitFor(async () => {
    const tooMuch = announce({ "content-length": megabyte });
    const { status, retryAfter } = await Promise.race([
      tooMuch.responded,
      new Promise<{ status: number; retryAfter?: string }>((resolve) =>
        setTimeout(resolve, 500, { status: 0 }),
      ),
    ]);
    tooMuch.upload.destroy();
    expect(status).toBe(503);
    expect(retryAfter).toBe("1");
  }, longTest);
  for (const { upload } of fitting) upload.destroy();
  await vi.waitFor(async () => {
    const { upload, responded } = announce({ "transfer-encoding": "chunked" });
    upload.end('{"base64String":"YWJj"}');
    expect((await responded).status).toBe(400);
  }, longTest);
  const received = await service.app.inject("/metrics");
  expect(received.body).toMatch(/^product_search_http_requests_in_flight 1$/m);
});

it("gives each address its own share of the memory if they use one public token", async () => {
  const shared = await service.token({ scopes: ["search"], publicOrigins: ["*"] });
  const from = (address: string) => ({ authorization: `Bearer ${shared}`, "x-forwarded-for": address });
  const size = 8 * megabyte;
  const held = Array.from({ length: connectionLimits.largeBudgetBytes / 2 / size }, () =>
    announce({ ...from("203.0.113.7"), "content-length": size }),
  );
  const begins = async (address: string) => {
    const { upload, responded } = announce({ ...from(address), "content-length": megabyte });
    const waited = new Promise<{ status: number }>((resolve) => setTimeout(resolve, 500, { status: 0 }));
    const { status } = await Promise.race([responded, waited]);
    upload.destroy();
    return status;
  };
  await vi.waitFor(async () => expect(await begins("203.0.113.7")).toBe(503), longTest);
  // It is admitted, and waits for the rest of its body.
  expect(await begins("203.0.113.8")).toBe(0);
  for (const { upload } of held) upload.destroy();
});
