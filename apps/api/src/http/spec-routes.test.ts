import {
  createFairQueue,
  type FairQueue,
  fairQueueLimits,
} from "@product-search/core/mechanisms/fair-queue.ts";
import { operations } from "@product-search/spec/operations";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService, type TestServiceOptions } from "../../testing/test-service.ts";

describe("fair routes", () => {
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

  const threadMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };

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

  it("a body that is not short waits for its turn before it is parsed", async () => {
    const payload = { query: "mug", history: Array.from({ length: 10 }, () => "mug ".repeat(120)) };
    callers = [];
    await service.app.inject({
      method: "POST",
      url: "/api/v1/deep-search",
      headers: { authorization: `Bearer ${token}` },
      payload,
    });
    expect(callers).toHaveLength(2);
  });

  describe("requests whose waits end at the same moment go on one after the other", () => {
    const requests = 8;

    /** In which turns of the event loop they go on. Each needs the whole slice of one. */
    async function turnsAfter(
      gated: (wait: () => Promise<void>, note: () => void) => TestServiceOptions,
    ): Promise<number[]> {
      const turns: number[] = [];
      let present = 0;
      let waiting = 0;
      const { promise: gate, resolve: open } = Promise.withResolvers<void>();
      const wait = () => {
        waiting += 1;
        if (waiting === requests) setImmediate(open);
        return gate;
      };
      const note = () => {
        turns.push(present);
        const startMs = threadMs();
        while (threadMs() - startMs < fairQueueLimits.sliceMs);
      };
      const other = await createTestService(gated(wait, note));
      await other.stores.catalogStore.apply([fakeMug("catalog", 1)]);
      const [product] = await other.stores.catalogStore.scan(0, 1);
      const headers = { authorization: `Bearer ${await other.token()}` };
      let isDone = false;
      const count = () => {
        present += 1;
        if (!isDone) setImmediate(count);
      };
      count();
      const url = `/api/v1/products/${product?.id}/price-history`;
      const responses = await Promise.all(
        Array.from({ length: requests }, () => other.app.inject({ url, headers })),
      );
      isDone = true;
      await other.close();
      expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(requests).fill(200));
      return turns;
    }

    it("with what a store has read", async () => {
      const turns = await turnsAfter((wait, note) => ({
        stores: ({ searchedCatalog }) => ({
          searchedCatalog: {
            ...searchedCatalog,
            async priceHistory(...input) {
              const entries = await searchedCatalog.priceHistory(...input);
              await wait();
              const slice = (...bounds: number[]) => {
                note();
                return entries.slice(...bounds);
              };
              return Object.assign([...entries], { slice });
            },
          },
        }),
      }));
      expect(new Set(turns).size).toBe(requests);
    });

    it("with writing their responses", async () => {
      const turns = await turnsAfter((wait, note) => ({
        handlers: (handlers) => ({
          ...handlers,
          async listPriceHistory(...input) {
            const response = await handlers.listPriceHistory(...input);
            await wait();
            return {
              ...response,
              get priceHistory() {
                note();
                return response.priceHistory;
              },
            };
          },
        }),
      }));
      expect(new Set(turns).size).toBe(requests);
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
      await service.app.inject({
        url: "/api/v1/search/catalog",
        query: { q: "mug" },
        headers,
        remoteAddress,
      });
    }
    expect(new Set(callers).size).toBe(3);
  });
});
