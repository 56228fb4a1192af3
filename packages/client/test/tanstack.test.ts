import { dehydrate, hydrate, InfiniteQueryObserver, QueryClient, QueryObserver } from "@tanstack/query-core";
import { expect, expectTypeOf, it, onTestFinished, vi } from "vitest";
import type { CatalogSearchResponse } from "../src/index.ts";
import {
  deepSearchStreamOptions,
  getProductOptions,
  scope,
  searchCatalogInfiniteOptions,
  searchCatalogOptions,
  similarProductsOptions,
  suggestOptions,
} from "../src/tanstack.ts";
import { respondWithJson, startService } from "./service.ts";

const page = (number: number, hasMore = false) => ({
  status: "success",
  Products: [],
  page: number,
  hasMore,
});

function startQueries() {
  const queries = new QueryClient();
  onTestFinished(() => queries.clear());
  return queries;
}

it("prefetches a page, which another client takes over with its type", async () => {
  const { client, received } = await startService((response) => respondWithJson(response, 200, page(1)));
  const [server, browser] = [startQueries(), startQueries()];
  const options = searchCatalogOptions(client, { q: "mug", brands: ["Nordlys"] });
  await server.prefetchQuery(options);
  hydrate(browser, JSON.parse(JSON.stringify(dehydrate(server))));
  const data = browser.getQueryData(options.queryKey);
  expectTypeOf(data).toEqualTypeOf<CatalogSearchResponse | undefined>();
  expect(data).toEqual(page(1));
  expect(received.map(({ query }) => query)).toEqual([{ q: "mug", brands: "Nordlys" }]);
});

it("reads page after page until there is no more", async () => {
  const { client } = await startService((response, { query }) =>
    respondWithJson(response, 200, page(Number(query.page), query.page === "2")),
  );
  const options = searchCatalogInfiniteOptions(client, { q: "mug", page: 2 });
  const observer = new InfiniteQueryObserver(startQueries(), options);
  onTestFinished(observer.subscribe(() => {}));
  await vi.waitFor(() => expect(observer.getCurrentResult().hasNextPage).toBe(true), { timeout: 60_000 });
  const { data, hasNextPage } = await observer.fetchNextPage();
  expect([data?.pages.map((one) => one.page), hasNextPage]).toEqual([[2, 3], false]);
});

it("prefetches the first pages on a server, and the browser goes on from there", async () => {
  const { client, received } = await startService((response, { query }) =>
    respondWithJson(response, 200, page(Number(query.page), Number(query.page) < 3)),
  );
  const [server, browser] = [startQueries(), startQueries()];
  const options = searchCatalogInfiniteOptions(client, { q: "mug" });
  await server.prefetchInfiniteQuery({ ...options, pages: 2 });
  hydrate(browser, JSON.parse(JSON.stringify(dehydrate(server))));
  const observer = new InfiniteQueryObserver(browser, { ...options, staleTime: Number.POSITIVE_INFINITY });
  onTestFinished(observer.subscribe(() => {}));
  const { data, hasNextPage } = await observer.fetchNextPage();
  expect([data?.pages.map((one) => one.page), hasNextPage]).toEqual([[1, 2, 3], false]);
  expect(received.map(({ query }) => query.page ?? "1")).toEqual(["1", "2", "3"]);
});

it("shows an answer while it is written, and begins again after a restart", async () => {
  const result = { aiResponse: "A tent.", topProducts: [], productCount: 0 };
  const events = [
    { type: "products", topProducts: [], productCount: 0 },
    { type: "delta", text: "Nonsense." },
    { type: "restart" },
    { type: "delta", text: "A " },
    { type: "delta", text: "tent." },
    { type: "done", data: result, writer: "built-in" },
  ];
  const { client } = await startService((response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  });
  const observer = new QueryObserver(startQueries(), deepSearchStreamOptions(client, { query: "a tent" }));
  const texts = new Set<string | undefined>();
  onTestFinished(observer.subscribe(({ data }) => texts.add(data?.text)));
  await vi.waitFor(() => expect(observer.getCurrentResult().fetchStatus).toBe("idle"), { timeout: 60_000 });
  expect(observer.getCurrentResult().data).toEqual({ text: "A tent.", products: [], result });
  expect(texts).toContain("A tent.");
});

it("asks once when a request fails: the client has repeated it already", async () => {
  const { client, received } = await startService((response) =>
    respondWithJson(response, 404, {
      status: "error",
      message: "No.",
      code: "product_not_found",
      requestId: "r",
    }),
  );
  const queries = startQueries();
  await expect(queries.fetchQuery(getProductOptions(client, "p_1"))).rejects.toMatchObject({ status: 404 });
  expect(received).toHaveLength(1);
});

it("stops a request that nothing waits for any more", async () => {
  let closed = 0;
  const { client, received } = await startService((response) => response.once("close", () => closed++));
  const observer = new QueryObserver(startQueries(), suggestOptions(client, { q: "mu" }));
  const stop = observer.subscribe(() => {});
  await vi.waitFor(() => expect(received).toHaveLength(1), { timeout: 60_000 });
  stop();
  await vi.waitFor(() => expect(closed).toBe(1), { timeout: 60_000 });
});

it("gives each query a key of its own below one scope", async () => {
  const { client } = await startService((response) => respondWithJson(response, 200, page(1)));
  const keys = [
    searchCatalogOptions(client, { q: "mug" }),
    searchCatalogInfiniteOptions(client, { q: "mug" }),
    suggestOptions(client, { q: "mug" }),
    similarProductsOptions(client, "mug", { count: 2 }),
    similarProductsOptions(client, "mug"),
    getProductOptions(client, "mug"),
    deepSearchStreamOptions(client, { query: "mug" }),
  ].map(({ queryKey }) => queryKey);
  expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(keys.length);
  expect(new Set(keys.map(([first]) => first))).toEqual(new Set([scope]));
});
