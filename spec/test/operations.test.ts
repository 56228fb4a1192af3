import { expect, it } from "vitest";
import { dereference, operationsOf, readBundle } from "../scripts/document.ts";

const document = dereference(await readBundle());
const operations = operationsOf(document);

// Every route of the service, written out: the document must have these and no others.
const routes = `
  vectorizeImage      POST   /vectorize-image                                            image-search        search
  detectObjects       POST   /detect-objects                                             image-search        search
  searchByImage       GET    /search                                                     image-search        search
  searchTrial         GET    /search/trial                                               text-search         -
  searchMarketplaceA  GET    /search/marketplace-a                                       marketplace-search  search
  searchMarketplaceB  GET    /search/marketplace-b                                       marketplace-search  search
  searchBrands        POST   /search/brands                                              brand-search        search
  deepSearch          POST   /deep-search                                                deep-search         search
  listWebhooks        GET    /webhooks                                                   webhooks            webhooks
  createWebhook       POST   /webhooks                                                   webhooks            webhooks
  deleteWebhook       DELETE /webhooks/{webhook_id}                                      webhooks            webhooks
  listDeliveries      GET    /webhooks/{webhook_id}/deliveries                           webhooks            webhooks
  replayDelivery      POST   /webhooks/{webhook_id}/deliveries/{delivery_id}/replay      webhooks            webhooks
  testWebhook         POST   /webhooks/{webhook_id}/test                                 webhooks            webhooks
  rotateWebhookKey    POST   /webhooks/{webhook_id}/rotate-key                           webhooks            webhooks
  enableWebhook       POST   /webhooks/{webhook_id}/enable                               webhooks            webhooks
`;

it("has exactly the routes of the service, each with its tag and scope", () => {
  const found = operations.map(({ path, method, operation }) =>
    [
      operation.operationId,
      method.toUpperCase(),
      path,
      operation.tags.join(),
      operation["x-scope"] ?? "-",
    ].join(" "),
  );
  const wanted = routes
    .trim()
    .split("\n")
    .map((line) => line.trim().replaceAll(/ +/g, " "));
  expect(found.toSorted()).toEqual(wanted.toSorted());
});

it("asks for a bearer token everywhere but in the trial search", () => {
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

it.each(operations)("$operation.operationId explains itself to a partner", ({ operation }) => {
  expect(operation.tags).toHaveLength(1);
  expect(operation.summary.length).toBeGreaterThan(10);
  expect(operation.description.length).toBeGreaterThan(40);
});

it("marks what was added to the interface as an addition", () => {
  const added = operations.filter(({ operation }) =>
    operation.description.startsWith("An addition of ours."),
  );
  expect(added.map(({ operation }) => operation.operationId).toSorted()).toEqual([
    "enableWebhook",
    "listDeliveries",
    "listWebhooks",
    "replayDelivery",
    "rotateWebhookKey",
    "testWebhook",
  ]);
});

it("takes an Idempotency-Key where a repetition would do harm", () => {
  const taking = operations.filter(({ operation }) =>
    operation.parameters?.some(({ name }) => name === "Idempotency-Key"),
  );
  expect(taking.map(({ operation }) => operation.operationId).toSorted()).toEqual([
    "createWebhook",
    "replayDelivery",
    "rotateWebhookKey",
    "testWebhook",
  ]);
});
