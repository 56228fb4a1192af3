import { createFairQueue, type FairQueue } from "@product-search/core/mechanisms/fair-queue.ts";
import { operations } from "@product-search/spec/operations";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

let service: TestService;
let token: string;
/** Who has waited for a turn. */
let callers: string[] = [];
let isBusy = false;
const queue: Pick<FairQueue, "run"> = {
  run(caller, leaving, work) {
    callers.push(caller);
    const used = isBusy ? createFairQueue({ sliceMs: 0, maxWaiting: 0 }) : createFairQueue();
    return used.run(caller, leaving, work);
  },
};

beforeAll(async () => {
  service = await createTestService({ queue, environment: { AGENT_ACCESS: "public" } });
  // Whether the input is valid is not the question here.
  service.app.setValidatorCompiler(() => () => true);
  token = await service.token();
});
afterAll(() => service.close());

const others = [
  { name: "the tools for agents", method: "POST", url: "/mcp", payload: {} },
  { name: "UCP's search", method: "POST", url: "/ucp/catalog/search", payload: {} },
  { name: "pages of products", method: "GET", url: "/products/mug", payload: undefined },
  { name: "pages of brands", method: "GET", url: "/brands/Nordlys", payload: undefined },
] as const;

const requests = [
  ...Object.values(operations).map(({ operationId, method, path, body, scope }) => ({
    name: operationId,
    method,
    url: `/api/v1${path.replaceAll(/\{\w+\}/g, "one")}`,
    payload: body === "none" ? undefined : {},
    isTokenRequired: scope !== undefined,
  })),
  ...others.map((request) => ({ ...request, isTokenRequired: false })),
];

describe.each(requests)("$name", ({ method, url, payload, isTokenRequired }) => {
  const send = () =>
    service.app.inject({
      method,
      url,
      headers: { host: "service.test", ...(isTokenRequired && { authorization: `Bearer ${token}` }) },
      ...(payload && { payload }),
    });

  it("waits for its turn, once, with its token or its address as the caller", async () => {
    callers = [];
    isBusy = true;
    const response = await send();
    isBusy = false;
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({ code: "unavailable" });
    expect(callers).toEqual([isTokenRequired ? expect.stringMatching(/^(?!127)/) : "127.0.0.1"]);
  });
});

it("health checks wait for nobody", async () => {
  callers = [];
  for (const url of ["/healthz", "/readyz"]) expect((await service.app.inject(url)).statusCode).toBe(200);
  expect(callers).toEqual([]);
});

it("each network that uses a public token is a caller of its own", async () => {
  const origins = ["https://shop.example"];
  const shown = await service.token({ scopes: ["search"], publicOrigins: origins });
  callers = [];
  for (const remoteAddress of ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2"]) {
    const headers = { authorization: `Bearer ${shown}`, origin: origins[0] };
    await service.app.inject({ url: "/api/v1/search/catalog", query: { q: "mug" }, headers, remoteAddress });
  }
  expect(new Set(callers).size).toBe(3);
});
