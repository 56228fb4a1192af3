import type { Marketplace } from "../src/ports/marketplace-source.ts";
import { createTestService } from "./test-service.ts";

/** A service that allows one request, and whose marketplace fails on demand. */
export function failingMarketplace(marketplace: Marketplace, url: string) {
  return {
    async responses(error?: Error) {
      const service = await createTestService({
        environment: { TOKEN_RATE_LIMIT: "1/60" },
        ports: (ports) =>
          error
            ? {
                ...ports,
                marketplaceSources: {
                  ...ports.marketplaceSources,
                  [marketplace]: { search: () => Promise.reject(error) },
                },
              }
            : ports,
      });
      const headers = { authorization: `Bearer ${await service.token()}` };
      const once = () => service.app.inject({ url, query: { q: "mug" }, headers });
      const responses = { first: await once(), second: await once() };
      await service.close();
      return responses;
    },
  };
}
