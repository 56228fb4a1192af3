import { describe, expect, it } from "vitest";
import { dereference, type Operation, operationsOf, readBundle } from "../scripts/document.ts";

const operations = operationsOf(dereference(await readBundle()));

/** The statuses and codes that follow from the parameters and body of an operation. */
function implied({ security, parameters = [], requestBody }: Operation): Record<number, string[]> {
  const takes = (place: string, name?: string) =>
    parameters.some((one) => one.in === place && (name === undefined || one.name === name));
  return {
    400: ["invalid_request"],
    406: ["not_acceptable"],
    429: ["rate_limited"],
    500: ["internal_error"],
    503: ["unavailable"],
    ...(security?.length !== 0 && { 401: ["unauthorized"], 403: ["forbidden"] }),
    ...(requestBody && { 413: ["payload_too_large"], 415: ["unsupported_media_type"] }),
    ...(takes("path") && { 404: [expect.stringMatching(/_not_found$/)] }),
    ...(takes("header", "Idempotency-Key") && { 409: ["idempotency_in_flight", "idempotency_mismatch"] }),
  };
}

/** The codes of each error status that an operation documents. */
function codesOf({ responses }: Operation): Record<string, unknown[]> {
  const errors = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return Object.fromEntries(
    errors.map(([status, { content }]) => [
      status,
      content?.["application/json"]?.schema.properties?.code?.enum ?? [],
    ]),
  );
}

/** Other statuses of the first promised operations. */
const promised: Record<string, Record<number, string[]>> = {
  vectorizeImage: { 400: ["invalid_request", "invalid_image"] },
  detectObjects: { 400: ["invalid_request", "invalid_image"] },
  searchByImage: { 404: ["image_not_found"] },
  searchTrial: {},
  searchMarketplaceA: { 502: ["upstream_failed"], 504: ["upstream_timeout"] },
  searchMarketplaceB: { 502: ["upstream_failed"], 504: ["upstream_timeout"] },
  searchBrands: { 404: ["brand_not_found"] },
  deepSearch: {},
  createWebhook: {
    400: ["invalid_request", "webhook_target_forbidden"],
    409: ["idempotency_in_flight", "idempotency_mismatch", "webhook_limit_reached"],
  },
  deleteWebhook: { 404: ["webhook_not_found"] },
};

it.each(Object.entries(promised))("%s keeps the statuses and codes that it began with", (name, own) => {
  const found = operations.find(({ operation }) => operation.operationId === name);
  if (!found) throw new Error(`The document has no operation ${name}.`);
  expect(codesOf(found.operation)).toEqual({ ...implied(found.operation), ...own });
});

describe.each(operations)("$operation.operationId", ({ path, operation }) => {
  const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
  const documented = codesOf(operation);

  it("documents one success", () => {
    expect(Object.keys(operation.responses).filter((status) => status.startsWith("2"))).toHaveLength(1);
    expect(errors).toHaveLength(Object.keys(operation.responses).length - 1);
  });

  it("documents every status that follows from what it takes, with its codes", () => {
    for (const [status, codes] of Object.entries(implied(operation))) {
      expect(documented[status], status).toEqual(expect.arrayContaining(codes));
    }
  });

  it.each(errors)("answers %s in its family's envelope", (status, { content }) => {
    const required = content?.["application/json"]?.schema.required;
    if (path.startsWith("/webhooks")) {
      expect(required).toEqual(["success", "message", "error", "code", "requestId"]);
    } else if (operation.operationId === "searchBrands" && status === "404") {
      expect(required).toEqual(["status", "data", "code", "requestId"]);
    } else {
      expect(required).toEqual(["status", "message", "code", "requestId"]);
    }
  });

  it("documents the headers of 401, 429 and 503, and no others", () => {
    const promised = Object.entries(operation.responses).flatMap(([status, { headers = {} }]) =>
      Object.keys(headers).map((name) => `${status} ${name}`),
    );
    const token = operation.security?.length === 0 ? [] : ["401 WWW-Authenticate"];
    expect(promised.toSorted()).toEqual([...token, "429 Retry-After", "503 Retry-After"]);
  });
});
