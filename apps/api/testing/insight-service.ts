import { fakeMugs } from "@product-search/testing/fake-products.ts";
import type { LightMyRequestResponse } from "fastify";
import { createTestService, type TestService } from "./test-service.ts";

export interface InsightService extends TestService {
  /** The response of a search for the text. */
  search(
    q: string,
    more?: Record<string, string>,
  ): Promise<{ queryId: string; Products: { _id: string; price: number }[] }>;
  send(events: readonly object[], token?: string): Promise<{ status: number; accepted: number }>;
  insights(query?: Record<string, string>): Promise<LightMyRequestResponse>;
}

/** A service that counts, with mugs in its catalog. */
export async function createInsightService(
  environment: Record<string, string> = {},
): Promise<InsightService> {
  const service = await createTestService({ environment: { ANALYTICS_DAYS: "30", ...environment } });
  await service.stores.catalogStore.apply(fakeMugs("catalog", 30));
  await service.indexed();
  const ownToken = await service.token({ scopes: ["search", "merchandising"] });
  const call = (token: string, url: string, query: Record<string, string>, payload?: object) =>
    service.app.inject({
      method: payload === undefined ? "GET" : "POST",
      url: `/api/v1${url}`,
      query,
      headers: { authorization: `Bearer ${token}` },
      ...(payload !== undefined && { payload }),
    });
  return {
    ...service,
    search: async (q, more = {}) => (await call(ownToken, "/search/catalog", { q, ...more })).json(),
    async send(events, token = ownToken) {
      const response = await call(token, "/events", {}, { events });
      return { status: response.statusCode, accepted: response.json().accepted };
    },
    async insights(query = {}) {
      await service.counted();
      return call(ownToken, "/insights/searches", query);
    },
  };
}
