import { expect, it } from "vitest";
import { dereference, operationsOf, readBundle } from "../scripts/document.ts";
import { violations } from "./validator.ts";

const bundle = await readBundle();
const events = { priceAlert: "PriceAlertEvent", stockAlert: "StockAlertEvent" };

function callbacksIn(document: typeof bundle) {
  const create = operationsOf(document).find(({ operation }) => operation.operationId === "createWebhook");
  return Object.entries(create?.operation.callbacks ?? {}).map(([name, callback]) => {
    const post = callback["{$request.body#/webhookUrl}"]?.post;
    if (!post) throw new Error(`The callback ${name} is not sent to the webhook's URL.`);
    return { name, post, body: post.requestBody?.content["application/json"] };
  });
}

it("describes each event once, as a component, so that its type is published", () => {
  const references = callbacksIn(bundle).map(({ name, body }) => [name, body?.schema]);
  expect(Object.fromEntries(references)).toEqual(
    Object.fromEntries(
      Object.entries(events).map(([name, schema]) => [name, { $ref: `#/components/schemas/${schema}` }]),
    ),
  );
});

it.each(callbacksIn(dereference(bundle)))(
  "$name has a valid example and the headers of a signed delivery",
  ({ post, body }) => {
    if (!body) throw new Error("The callback has no JSON body.");
    expect(violations(body.schema, body.example)).toEqual([]);
    expect(post.parameters?.map(({ name }) => name)).toEqual([
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
    ]);
  },
);

it("distinguishes the events by their type", () => {
  const { schemas } = dereference(bundle).components;
  const types = schemas.WebhookEvent?.oneOf?.map(({ properties }) => properties?.type?.enum);
  expect(types).toEqual([["price.alert"], ["stock.alert"]]);
});
