import { operations } from "@product-search/spec/operations";
import { createPostgresCatalogStore } from "@product-search/stores/catalog-store/postgres.ts";
import { describeOnPostgres, openTestPostgres } from "@product-search/stores/testing/postgres.ts";
import {
  createRandom,
  hostileStrings,
  percentEncoded,
  randomString,
} from "@product-search/testing/hostile-strings.ts";
import { testSeed } from "@product-search/testing/seed.ts";
import { type RequestInput, requestInputs } from "@product-search/testing/spec-check.ts";
import type { InjectOptions } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestServiceOptions } from "../../../testing/test-service.ts";
import { createWebhookService, type WebhookService } from "../../../testing/webhook-service.ts";
import { composeSqlStores } from "../../compose/stores/sql-stores.ts";
import { readConfig } from "../../config.ts";

const seed = testSeed("string inputs");
const randomPerInput = 10;
const timeout = 240_000;

describe("string inputs on SQLite", () => describeInputs(async () => ({ close: async () => {} })));

describeOnPostgres("string inputs on PostgreSQL", () =>
  describeInputs(async () => {
    const { db, clock, close } = await openTestPostgres();
    return {
      close,
      stores: ({ secretBox }) => {
        const config = readConfig({ SECRET_KEY: Buffer.alloc(32, 7).toString("base64") });
        const searchedCatalog = createPostgresCatalogStore({ db, clock, presentation: config });
        return { ...composeSqlStores({ db, clock, secretBox, config }), searchedCatalog };
      },
    };
  }),
);

interface OpenedStores extends Pick<TestServiceOptions, "stores"> {
  close(): Promise<void>;
}

function describeInputs(open: () => Promise<OpenedStores>): void {
  let stores: OpenedStores;
  let service: WebhookService;
  let token: string;
  /** Of the account, so that a request gets as far as the text in another place. */
  let webhookId: string;

  beforeAll(async () => {
    stores = await open();
    service = await createWebhookService({
      ...stores,
      environment: { TRIAL_RATE_LIMIT: "0", PAGE_RATE_LIMIT: "0" },
    });
    token = await service.token({ scopes: ["search", "webhooks"] });
    webhookId = (await createWebhook()).id;
    await service.imaged();
  }, timeout);
  afterAll(async () => {
    await service?.close();
    await stores?.close();
  });

  const createWebhook = async () => {
    const created = await send({
      method: "POST",
      url: "/api/v1/webhooks",
      headers: { authorization: `Bearer ${token}` },
      payload: { webhookUrl: "https://partner.example/hook", webhookType: "price.alert" },
    });
    if (created.statusCode !== 201) throw new Error(created.body);
    return created.json().data;
  };
  const send = (request: InjectOptions) => service.app.inject(request);
  const strings = (input: string) => {
    const random = createRandom(seed + input.length);
    return [...hostileStrings, ...Array.from({ length: randomPerInput }, () => randomString(random))];
  };
  /** What the HTTP parser lets through. */
  const asHeader = (text: string) => text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "\u00fc");

  const expectHandled = async (what: string, text: string, request: InjectOptions) => {
    const response = await send(request);
    const shown = `${what} = ${JSON.stringify(text.slice(0, 80))}: ${response.body.slice(0, 300)}`;
    // 501 of testWebhook and the like do not exist: every 5xx is a fault.
    expect({ status: response.statusCode < 500, shown }).toEqual({ status: true, shown });
    if (response.statusCode !== 201 || response.json().data?.id === undefined) return response;
    // An account may have a hundred webhooks; above that, nothing more would be tested.
    const url = `/api/v1/webhooks/${response.json().data.id}`;
    await send({ method: "DELETE", url, headers: { authorization: `Bearer ${token}` } });
    return response;
  };

  describe.each(Object.values(operations))("$operationId", ({ operationId, path }) => {
    const inputs = requestInputs(operationId, "").map(({ name }) => name);

    it.each(inputs)("%s", { timeout }, async (name) => {
      const input: RequestInput | undefined = requestInputs(operationId, token).find(
        (one) => one.name === name,
      );
      if (input === undefined) throw new Error(`${operationId} has no input ${name}.`);
      const isHeader = name.startsWith("header ");
      for (const text of strings(name)) {
        const request = input.requestWith(isHeader ? asHeader(text) : text);
        const inOwnWebhook = {
          ...request,
          url: request.url.replace(/\/webhooks\/wh_\w+/, `/webhooks/${webhookId}`),
        };
        await expectHandled(`${operationId} ${name}`, text, request);
        if (path.includes("{delivery_id}")) await expectHandled(`${operationId} ${name}`, text, inOwnWebhook);
      }
      // The text in the URL's own bytes, which are not always valid.
      if (isHeader || name.startsWith("body ")) return;
      for (const bytes of ["%00", "%ED%A0%80", "%FF", "%", "%zz", "%C0%80", "a%00b%", "\u00fc", "+%00"]) {
        const request = input.requestWith("MARK");
        const url = request.url.replace("MARK", bytes);
        const query = new URLSearchParams(request.query).toString().replace("MARK", bytes);
        await expectHandled(`${operationId} ${name}`, bytes, {
          ...request,
          url: `${url}?${query}`,
          query: {},
        });
      }
    });

    it("names of parameters and fields, and headers", { timeout }, async () => {
      const example = requestInputs(operationId, token)[0]?.requestWith("x");
      if (example === undefined) return;
      for (const text of strings(operationId)) {
        await expectHandled("a name", text, { ...example, query: { [text]: "1" } });
        if (example.payload) {
          const payload = JSON.stringify({ [text]: text });
          const headers = { ...example.headers, "content-type": "application/json" };
          await expectHandled("a field", text, { ...example, headers, payload });
        }
        for (const name of [
          "authorization",
          "accept",
          "origin",
          "x-request-id",
          "traceparent",
          "content-type",
        ]) {
          const headers = { ...example.headers, [name]: asHeader(text) };
          await expectHandled(name, text, { ...example, headers });
        }
      }
    });
  });

  it.each([
    "/brands/",
    "/products/",
    "/images/",
    "/",
    "/api/v1/",
    "/api/v1/webhooks/",
    "/docs/",
    "/openapi.json/",
  ])("pages and unknown paths under %s", { timeout }, async (prefix) => {
    for (const text of strings(prefix)) {
      for (const accept of ["text/html", "*/*"])
        await expectHandled(prefix, text, { url: `${prefix}${percentEncoded(text)}`, headers: { accept } });
    }
    for (const bytes of ["%00", "%ED%A0%80", "%FF", "%", "%zz", "%C0%80", "..%2f..%2fetc", "%2e%2e/", "?%00"])
      await expectHandled(prefix, bytes, { url: `${prefix}${bytes}` });
  });

  const authorized = () => ({ authorization: `Bearer ${token}` });

  it.each([
    ["GET", "/products/%00", "product_not_found"],
    ["GET", "/products/a%00b/similar", "product_not_found"],
    ["GET", "/products/a%00b/price-history", "product_not_found"],
    ["GET", "/search?imageId=img_%00", "image_not_found"],
    ["DELETE", "/webhooks/wh_%00", "webhook_not_found"],
    ["GET", "/webhooks/wh_%00/deliveries", "webhook_not_found"],
    ["POST", "/webhooks/wh_%00/test", "webhook_not_found"],
    ["POST", "/webhooks/wh_%00/rotate-key", "webhook_not_found"],
    ["POST", "/webhooks/wh_%00/enable", "webhook_not_found"],
    ["POST", "/webhooks/wh_%00/deliveries/dl_1/replay", "webhook_not_found"],
    ["POST", "/webhooks/OWN/deliveries/dl_%00/replay", "delivery_not_found"],
  ] as const)("an identifier with U+0000 is unknown: %s %s", async (method, url, code) => {
    const response = await send({
      method,
      url: `/api/v1${url.replace("OWN", webhookId)}`,
      headers: authorized(),
    });
    expect([response.statusCode, response.json().code]).toEqual([404, code]);
  });

  it.each(["a\u0000b", "\u0000", "\ud800", "b\udc00"])("productIds refuse %j", async (productId) => {
    const response = await send({
      method: "POST",
      url: "/api/v1/webhooks",
      headers: authorized(),
      payload: {
        webhookUrl: "https://partner.example/hook",
        webhookType: "price.alert",
        productIds: ["fine", productId],
      },
    });
    expect([response.statusCode, response.json().code]).toEqual([400, "invalid_request"]);
    expect(response.json().error).toMatch(/productIds\[1\].*Send the _id of a product/);
  });

  it("a webhookUrl is refused or stored without control characters", async () => {
    const places = [
      "https://partner.example/MARK",
      "https://partner.exMARKample/",
      "MARKhttps://partner.example/",
      "https://partner.example/?a=MARKb#cMARK",
      "https://partner.example/\u00e4MARKb",
    ];
    for (const place of places)
      for (const control of ["\u0000", "\u0001", "\t", "\n", "\u007f", "\u0085", "\u2028", "\ud800"]) {
        const payload = { webhookUrl: place.replaceAll("MARK", control), webhookType: "price.alert" };
        const created = await expectHandled("webhookUrl", payload.webhookUrl, {
          method: "POST",
          url: "/api/v1/webhooks",
          headers: authorized(),
          payload,
        });
        if (created.statusCode === 201)
          expect(created.json().data.webhookUrl).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}]/u);
        else expect(created.statusCode).toBe(400);
      }
  });
}
