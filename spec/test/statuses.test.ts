import { describe, expect, it } from "vitest";
import { dereference, operationsOf, readBundle } from "../scripts/document.ts";

const operations = operationsOf(dereference(await readBundle()));

// Every answer of every operation, written out: status and the codes that it can carry.
const common = {
  401: "unauthorized",
  403: "forbidden",
  406: "not_acceptable",
  429: "rate_limited",
  500: "internal_error",
  503: "unavailable",
};
const withBody = { 413: "payload_too_large", 415: "unsupported_media_type" };
const invalid = { 400: "invalid_request" };
const invalidImage = { 400: "invalid_request invalid_image" };
const invalidTarget = { 400: "invalid_request webhook_target_forbidden" };
const upstream = { 502: "upstream_failed", 504: "upstream_timeout" };
const noWebhook = { 404: "webhook_not_found" };
const idempotent = { 409: "idempotency_in_flight idempotency_mismatch" };
const { 401: _unauthorized, 403: _forbidden, ...withoutToken } = common;

const answers: Record<string, Record<number, string>> = {
  vectorizeImage: { 200: "", ...common, ...withBody, ...invalidImage },
  detectObjects: { 200: "", ...common, ...withBody, ...invalidImage },
  searchByImage: { 200: "", ...common, ...invalid, 404: "image_not_found" },
  searchTrial: { 200: "", ...withoutToken, ...invalid },
  searchMarketplaceA: { 200: "", ...common, ...invalid, ...upstream },
  searchMarketplaceB: { 200: "", ...common, ...invalid, ...upstream },
  searchBrands: { 200: "", ...common, ...withBody, ...invalid, 404: "brand_not_found" },
  deepSearch: { 200: "", ...common, ...withBody, ...invalid },
  listWebhooks: { 200: "", ...common, ...invalid },
  createWebhook: {
    201: "",
    ...common,
    ...withBody,
    ...invalidTarget,
    409: "idempotency_in_flight idempotency_mismatch webhook_limit_reached",
  },
  deleteWebhook: { 200: "", ...common, ...invalid, ...noWebhook },
  listDeliveries: { 200: "", ...common, ...invalid, ...noWebhook },
  replayDelivery: {
    200: "",
    ...common,
    ...invalidTarget,
    ...idempotent,
    404: "webhook_not_found delivery_not_found",
  },
  testWebhook: { 200: "", ...common, ...invalidTarget, ...idempotent, ...noWebhook },
  rotateWebhookKey: { 200: "", ...common, ...invalid, ...idempotent, ...noWebhook },
  enableWebhook: { 200: "", ...common, ...invalid, ...noWebhook },
};

it("lists the answers of every operation", () => {
  expect(Object.keys(answers).toSorted()).toEqual(
    operations.map(({ operation }) => operation.operationId).toSorted(),
  );
});

describe.each(operations)("$operation.operationId", ({ path, operation }) => {
  const errors = Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);

  it("documents every status that it can answer, and its codes", () => {
    const documented = Object.entries(operation.responses).map(([status, { content }]) => [
      status,
      (content?.["application/json"]?.schema.properties?.code?.enum ?? []).join(" "),
    ]);
    const expected = Object.fromEntries(documented);
    expect(expected).toEqual(answers[operation.operationId]);
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

  it("promises the headers of 401, 429 and 503, and no others", () => {
    const promised = Object.entries(operation.responses).flatMap(([status, { headers = {} }]) =>
      Object.keys(headers).map((name) => `${status} ${name}`),
    );
    const token = operation.security?.length === 0 ? [] : ["401 WWW-Authenticate"];
    expect(promised.toSorted()).toEqual([...token, "429 Retry-After", "503 Retry-After"]);
  });
});
