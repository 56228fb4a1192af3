// Searches, pages, handles a 400 and a 429, and verifies a webhook, with types of openapi-typescript: BASE_URL, ORIGIN and TOKEN.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import { Webhook } from "standardwebhooks";
import type { paths } from "./search-api.ts";

const { BASE_URL: baseUrl = "", TOKEN: token = "" } = process.env;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${token}` } });
const find = (count: number, page = 1) =>
  client.GET("/search/catalog", { params: { query: { q: "lamp", count, page } } });

const [first, second] = [(await find(2)).data, (await find(2, 2)).data];
assert.equal(first?.Products.length, 2);
assert.notEqual(first.Products[0]?._id, second?.Products[0]?._id);

const { error } = await find(999);
assert.equal(error?.code, "invalid_request");

// The mock refuses when it is asked to, the service when there are too many.
let limited: Response | undefined;
for (let count = 0; count < 500 && limited?.status !== 429; count++) {
  const trial = { params: { query: { q: "mug" } }, headers: { Prefer: "code=429" } };
  limited = (await client.GET("/search/trial", trial)).response;
}
assert.equal(limited?.status, 429);
assert.ok(Number(limited.headers.get("retry-after")) > 0);

const webhook = new Webhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
const [body, now] = ['{"type":"price.alert"}', new Date()];
const headers = {
  "webhook-id": "ev_1",
  "webhook-timestamp": `${Math.floor(now.getTime() / 1000)}`,
  "webhook-signature": webhook.sign("ev_1", now, body),
};
assert.deepEqual(webhook.verify(body, headers), { type: "price.alert" });
assert.throws(() => webhook.verify(`${body} `, headers));
console.log("typescript: searched, paged, 400, 429, webhook");
