import { expect, it } from "vitest";
import { dereference, operationsOf, readBundle } from "../scripts/document.ts";

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
