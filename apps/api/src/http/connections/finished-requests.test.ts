import { Agent, request } from "node:http";
import type { AddressInfo } from "node:net";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

let service: TestService;
let port: number;
let token: string;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
beforeAll(async () => {
  service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0", TOKEN_RATE_LIMIT: "0" } });
  token = await service.token();
  await service.app.listen({ port: 0 });
  port = (service.app.server.address() as AddressInfo).port;
});
afterAll(async () => {
  agent.destroy();
  await service.close();
});

const headerBytes = 8000;
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

const requests: [number, string, body?: object][] = [
  [200, "/healthz"],
  [404, "/nowhere"],
  [200, "/api/v1/search/trial?q=lamp"],
  [400, "/api/v1/search/trial"],
  [404, "/api/v1/search/brands", { query: "nora" }],
  [200, "/api/v1/search/marketplace-a?q=lamp"],
  [200, "/api/v1/deep-search", { query: "a lamp under 20" }],
  [200, "/api/v1/webhooks"],
];

it.each(requests)("an answered request is not kept: %s of %s", async (status, path, body) => {
  expect(await ask(500, path, body)).toEqual(new Set([status]));
  collectYoung();
  const before = oldBytes();
  await ask(1000, path, body);
  // A thousand leaked requests take eight megabytes for their headers alone. Deep search adds a listener to a signal, which
  // Node keeps.
  expect(oldBytes() - before).toBeLessThan(4e6);
});

/** Resolves with the statuses of the responses. */
async function ask(times: number, path: string, body?: object): Promise<Set<number | undefined>> {
  const statuses = new Set<number | undefined>();
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "x-padding": "p".repeat(headerBytes),
  };
  for (let n = 0; n < times; n++) {
    await new Promise<void>((resolve, reject) => {
      const asked = request({ port, agent, path, method: body ? "POST" : "GET", headers }, (response) => {
        statuses.add(response.statusCode);
        response.resume().on("end", resolve);
      });
      asked.on("error", reject).end(body && JSON.stringify(body));
    });
    // Objects that survive two of these collections count as long-lived.
    if (n % 50 === 0) collectYoung();
  }
  return statuses;
}

function collectYoung(): void {
  collect({ type: "minor" });
}

function oldBytes(): number {
  return getHeapSpaceStatistics()
    .filter(({ space_name }) => space_name.startsWith("old") || space_name.startsWith("large"))
    .reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}
