import type { ApiError } from "@product-search/core/errors.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import { exampleRequest } from "@product-search/testing/spec-check.ts";
import { createTestService } from "../test-service.ts";

/** What both marketplace searches refuse: a name, the query, and the message. */
export const invalidQueries: [string, Record<string, string>, RegExp][] = [
  ["no q", {}, /^q:/],
  ["a blank q", { q: " " }, /^q:/],
  ["a count of 0", { q: "mug", count: "0" }, /^count:/],
  ["a count of 251", { q: "mug", count: "251" }, /^count:/],
  ["a count that is no number", { q: "mug", count: "many" }, /^count:/],
  ["a page of 0", { q: "mug", page: "0" }, /^page:/],
  ["a page beyond the window", { q: "mug", count: "250", page: "41" }, /^page:.*last page is 40/],
  ["an unknown parameter", { q: "mug", limit: "5" }, /^limit:/],
];

/** The response of a service whose marketplace fails with this error. */
export async function responseToFailure(operationId: string, marketplace: Marketplace, error: ApiError) {
  const failing = { search: () => Promise.reject(error) };
  const service = await createTestService({
    ports: (ports) => ({
      ...ports,
      marketplaceSources: { ...ports.marketplaceSources, [marketplace]: failing },
    }),
  });
  const response = await service.app.inject(exampleRequest(operationId, await service.token()));
  await service.close();
  return response;
}
