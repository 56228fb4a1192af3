import { describe, expect, it } from "vitest";
import { dereference, type Operation, operationsOf, readBundle } from "../scripts/document.ts";
import { operationModule, operationTable } from "../scripts/operation-table.ts";

describe("operations", async () => {
  const document = dereference(await readBundle());
  const operations = operationsOf(document);

  // The ten routes that were promised to partners first, written out: these must not change.
  const promised = `
  vectorizeImage      POST   /vectorize-image         image-search        search
  detectObjects       POST   /detect-objects          image-search        search
  searchByImage       GET    /search                  image-search        search
  searchTrial         GET    /search/trial            text-search         -
  searchMarketplaceA  GET    /search/marketplace-a    marketplace-search  search
  searchMarketplaceB  GET    /search/marketplace-b    marketplace-search  search
  searchBrands        POST   /search/brands           brand-search        search
  deepSearch          POST   /deep-search             deep-search         search
  createWebhook       POST   /webhooks                webhooks            webhooks
  deleteWebhook       DELETE /webhooks/{webhook_id}   webhooks            webhooks
`
    .trim()
    .split("\n")
    .map((line) => line.trim().replaceAll(/ +/g, " "));
  const promisedIds = promised.map((line) => line.split(" ")[0]);

  it("has the promised routes, each with its tag and scope", () => {
    const found = operations.map(({ path, method, operation }) =>
      [
        operation.operationId,
        method.toUpperCase(),
        path,
        operation.tags.join(),
        operation["x-scope"] ?? "-",
      ].join(" "),
    );
    expect(found).toEqual(expect.arrayContaining(promised));
  });

  it.each(operations)("$operation.operationId has a path in the usual form", ({ path }) => {
    expect(path).toMatch(/^(\/([a-z]+(-[a-z]+)*|\{[a-z]+(_[a-z]+)*\}))+$/);
  });

  it.each(operations)("$operation.operationId needs a scope that tokens can have", ({ operation }) => {
    if (operation.security?.length === 0) expect(operation["x-scope"]).toBeUndefined();
    else expect(["search", "webhooks", "catalog", "merchandising"]).toContain(operation["x-scope"]);
  });

  it("requires a bearer token everywhere except in the trial search", () => {
    expect(document.security).toEqual([{ bearerAuth: [] }]);
    for (const { operation } of operations) {
      expect(operation.security, operation.operationId).toEqual(
        operation.operationId === "searchTrial" ? [] : undefined,
      );
    }
  });

  it("is served under the major version of the document", () => {
    expect(document.servers.map(({ url }) => url)).toEqual([`/api/v${document.info.version.split(".")[0]}`]);
  });

  it("marks everything beyond the promised routes as an addition", () => {
    const added = operations.filter(({ operation }) =>
      operation.description.startsWith("An addition of ours."),
    );
    expect(added.map(({ operation }) => operation.operationId).toSorted()).toEqual(
      operations
        .map(({ operation }) => operation.operationId)
        .filter((operationId) => !promisedIds.includes(operationId))
        .toSorted(),
    );
  });

  it("takes an Idempotency-Key if a repetition would do harm", () => {
    const taking = operations.filter(({ operation }) =>
      operation.parameters?.some(({ name }) => name === "Idempotency-Key"),
    );
    expect(taking.map(({ operation }) => operation.operationId)).toEqual(
      expect.arrayContaining(["createWebhook", "replayDelivery", "rotateWebhookKey", "testWebhook"]),
    );
    expect(taking.filter(({ method }) => method !== "post")).toEqual([]);
  });
});

describe("operation table", async () => {
  const document = await readBundle();
  const table = operationTable(document);

  it("has a row for each operation of the document, and a type for it", () => {
    const ids = Object.values(document.paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId),
    );
    expect(Object.keys(table).toSorted()).toEqual(ids.toSorted());
    const { types } = operationModule(document);
    for (const id of ids) expect(types).toContain(`"${id}"`);
  });

  it("has the data that a route needs", () => {
    expect(table.createWebhook).toMatchObject({
      method: "POST",
      path: "/webhooks",
      tag: "webhooks",
      scope: "webhooks",
      successStatus: 201,
      produces: ["application/json"],
      body: "required",
      maxBodyBytes: 512 * 1024,
      idempotent: true,
    });
    expect(table.searchTrial).toMatchObject({
      method: "GET",
      body: "none",
      maxBodyBytes: 64 * 1024,
      idempotent: false,
      successStatus: 200,
    });
    expect(table.searchTrial).not.toHaveProperty("scope");
    expect(table.deepSearch?.produces).toEqual(["application/json", "text/event-stream"]);
  });

  it("closes queries and keeps the names of headers", () => {
    expect(table.searchMarketplaceA?.schemas.query).toMatchObject({
      additionalProperties: false,
      required: ["q"],
      properties: { count: { type: "integer", default: 20 } },
    });
    expect(table.listWebhooks?.schemas.query).toEqual({
      type: "object",
      properties: {},
      required: [],
      additionalProperties: false,
    });
    expect(table.createWebhook?.schemas.headers.properties).toMatchObject({
      "idempotency-key": { title: "Idempotency-Key", minLength: 1, maxLength: 255 },
    });
  });

  it("refers to nothing outside of a row", () => {
    expect(JSON.stringify(table)).not.toContain("$ref");
  });

  it("refuses an operation that cannot succeed", () => {
    const [path, item] = Object.entries(document.paths)[0] ?? ["", {}];
    const broken = Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [method, { ...operation, responses: {} }]),
    );
    expect(() => operationTable({ ...document, paths: { [path]: broken } })).toThrow("no successful status");
  });
});

describe("statuses", async () => {
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
});
