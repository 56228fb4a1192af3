import type { BrandNotFoundError, PriceAlertEvent, Product } from "@product-search/types";
import { expectTypeOf, test } from "vitest";
import { type Client, isProductSearchError, type ProductSearchError, verifyWebhook } from "../src/index.ts";

declare const client: Client;
declare const error: ProductSearchError;

test("responses are typed", () => {
  expectTypeOf(client.searchTrial({ q: "mug", priceRange: [1, 2] }))
    .resolves.toHaveProperty("Products")
    .toEqualTypeOf<Product[]>();
  client.searchCatalog({ brands: ["Nordlys"], facets: ["price"], availability: ["in_stock"] });
  // @ts-expect-error: unknown facet
  client.searchCatalog({ q: "mug", facets: ["colours"] });
  // @ts-expect-error: q is missing
  client.searchTrial({});
  // @ts-expect-error: the service takes text, the client a tuple
  client.searchTrial({ q: "mug", priceRange: "[1,2]" });
  // @ts-expect-error: unknown value
  client.searchTrial({ q: "mug", sort: "newest" });
});

test("only methods whose operation takes an idempotency key take one", () => {
  client.createWebhook({ webhookUrl: "", webhookType: "price.alert" }, { idempotencyKey: "key" });
  client.rotateWebhookKey("wh_1", { idempotencyKey: "key", revokeFormer: true });
  // @ts-expect-error: deleting takes no key
  client.deleteWebhook("wh_1", { idempotencyKey: "key" });
});

test("errors are narrowed by code", () => {
  if (error.code === "brand_not_found") {
    expectTypeOf(error.status).toEqualTypeOf<404>();
    expectTypeOf(error.body.data).toEqualTypeOf<BrandNotFoundError["data"]>();
    expectTypeOf(error.response).toEqualTypeOf<Response>();
  }
  if (error.code === "webhook_limit_reached") expectTypeOf(error.body.error).toEqualTypeOf<string>();
  if (error.code === "request_timeout") {
    expectTypeOf(error.status).toEqualTypeOf<408>();
    expectTypeOf(error.body.message).toEqualTypeOf<string>();
  }
  if (error.code === "unexpected_response") expectTypeOf(error.body).toEqualTypeOf<unknown>();
  if (error.code === "timeout") expectTypeOf(error.response).toEqualTypeOf<undefined>();
});

test("errors are narrowed by status", () => {
  if (error.status === 409) {
    type Some = Extract<typeof error.code, "rule_changed" | "unexpected_response" | "not_found" | "timeout">;
    expectTypeOf<Some>().toEqualTypeOf<"rule_changed" | "unexpected_response">();
  }
  if (error.status === undefined) expectTypeOf(error.code).toEqualTypeOf<"network_error" | "timeout">();
});

test("a caught value becomes a typed error", () => {
  const caught: unknown = undefined;
  if (isProductSearchError(caught)) expectTypeOf(caught).toEqualTypeOf<ProductSearchError>();
});

test("a verified event is narrowed by type", async () => {
  const event = await verifyWebhook("", {}, "");
  if (event.type === "price.alert") expectTypeOf(event).toEqualTypeOf<PriceAlertEvent>();
});
