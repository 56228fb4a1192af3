import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { marketplaces } from "@product-search/core/domain/fields.ts";
import { recordOf } from "@product-search/core/domain/record-of.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { operations } from "@product-search/spec/operations";
import { exampleRequest, expectDocumented } from "@product-search/testing/spec-check.ts";
import { specDocument as spec } from "@product-search/testing/spec-document.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService, type TestServiceOptions } from "../../testing/test-service.ts";
import { createWebhookService, type WebhookService } from "../../testing/webhook-service.ts";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));

/** The statuses tested in each operation's file: the numbers at the start of its outermost `describe`s. */
const tested = new Map<string, Set<string>>();
const vitest = join(dirname(fileURLToPath(import.meta.resolve("vitest/package.json"))), "vitest.mjs");
const list = (...args: string[]): { name: string; file: string }[] =>
  JSON.parse(
    execFileSync(process.execPath, [vitest, "list", ...args, "--json"], {
      cwd: packageFolder,
      encoding: "utf8",
    }),
  );
const files = readdirSync(join(packageFolder, "test/operations")).map((name) => `test/operations/${name}`);
/** Their suites are in one function for both, which only running the files shows. */
const isShared = (file: string) => file.includes("/searchMarketplace");
for (const { name, file } of [
  ...list(...files.filter((one) => !isShared(one))),
  ...list(...files.filter(isShared), "--no-static-parse"),
]) {
  const operationId = basename(file, ".test.ts");
  const status = /^\d{3}/.exec(name)?.[0];
  if (status !== undefined) tested.set(operationId, (tested.get(operationId) ?? new Set()).add(status));
}

/** Refused by every operation alike, and tested here with the requests that the spec shows as examples. */
const refusedAlike = ["400", "401", "403", "406", "413", "415", "429", "500", "503"];
const webhookParameter = "{webhook_id}";

/** Allows each token and each address one request. */
let limited: TestService;
let broken: TestService;
let overloaded: TestService;
beforeAll(async () => {
  limited = await createTestService({ environment: { TRIAL_RATE_LIMIT: "1/60", TOKEN_RATE_LIMIT: "1/60" } });
  broken = await createTestService(failingWith(new Error("disk on fire")));
  const busy = new ApiError("unavailable", "Not ready yet.", { retryAfterSeconds: 2 });
  overloaded = await createTestService(failingWith(busy));
});
afterAll(() => Promise.all([limited, broken, overloaded].map((service) => service.close())));

let addresses = 0;
const newAddress = () => `2001:db8:${(addresses++).toString(16)}::1`;

describe.each(Object.values(operations))("$operationId", (operation) => {
  const { operationId, path, method, scope, body, maxBodyBytes } = operation;
  const documented = Object.keys(spec.paths[path]?.[method.toLowerCase()]?.responses ?? {});

  it("has a test for each documented status, and for no other", () => {
    const inItsFile = [...(tested.get(operationId) ?? [])];
    const isAboutWebhook = path.includes(webhookParameter);
    const here = documented.filter(
      (status) => refusedAlike.includes(status) || (status === "404" && isAboutWebhook),
    );
    expect([...new Set([...inItsFile, ...here])].toSorted()).toEqual(documented.toSorted());
  });

  it.runIf(scope).each([
    ["no token", {}],
    ["another scheme", { authorization: "Basic abc" }],
    ["no value", { authorization: "Bearer" }],
    ["two values", { authorization: "Bearer a b" }],
    ["no token's form", { authorization: "Bearer abc" }],
    ["a wrong checksum", { authorization: `Bearer pss_${"a".repeat(36)}` }],
  ])("is refused with %s, with 401", async (_, headers) => {
    const request = { ...exampleRequest(operationId), headers, remoteAddress: newAddress() };
    const response = await limited.app.inject(request);
    expectDocumented(operationId, 401, response);
    expect(response.headers["www-authenticate"]).toMatch(/^Bearer/);
  });

  it.runIf(scope)("is refused with a token that lacks the scope, with 403", async () => {
    const token = await limited.token({ scopes: [scope === "search" ? "webhooks" : "search"] });
    const response = await limited.app.inject(exampleRequest(operationId, token));
    expectDocumented(operationId, 403, response);
    expect(response.headers["www-authenticate"]).toContain('error="insufficient_scope"');
  });

  it.runIf(scope)("is refused without a token before its parameters are read", async () => {
    const request = { ...exampleRequest(operationId), query: { nonsense: "1" }, remoteAddress: newAddress() };
    expectDocumented(operationId, 401, await limited.app.inject(request));
  });

  it("is refused with an unknown query parameter, with 400", async () => {
    const example = exampleRequest(operationId, scope && (await limited.token()));
    const request = { ...example, query: { ...example.query, nonsense: "1" }, remoteAddress: newAddress() };
    const response = await limited.app.inject(request);
    expectDocumented(operationId, 400, response);
    expect(response.body).toContain("nonsense: is not a parameter");
    if (path.startsWith("/webhooks"))
      expect(response.json()).toMatchObject({
        message: "Validation error",
        error: expect.stringMatching(/^Webhook validation failed: nonsense:/),
        code: "invalid_request",
      });
  });

  it("is refused with an Accept that excludes its media types, with 406", async () => {
    const { headers, ...request } = exampleRequest(operationId, scope && (await limited.token()));
    const response = await limited.app.inject({
      ...request,
      headers: { ...headers, accept: "image/png" },
      remoteAddress: newAddress(),
    });
    expectDocumented(operationId, 406, response);
  });

  it.runIf(body !== "none").each([
    [413, "a body over its limit", { "content-type": "application/json" }, maxBodyBytes + 1],
    [415, "a body of another media type", { "content-type": "text/plain" }, 1],
  ])("is refused with %i for %s", async (status, _, type, bytes) => {
    const { headers, ...request } = exampleRequest(operationId, scope && (await limited.token()));
    const payload = "x".repeat(bytes);
    const sent = { ...request, headers: { ...headers, ...type }, payload, remoteAddress: newAddress() };
    expectDocumented(operationId, status, await limited.app.inject(sent));
  });

  it("is refused over the limit of the token or the address, with 429", async () => {
    const token = scope && (await limited.token());
    const request = { ...exampleRequest(operationId, token), remoteAddress: newAddress() };
    await limited.app.inject(request);
    const response = await limited.app.inject(request);
    expectDocumented(operationId, 429, response);
    expect(Number(response.headers["retry-after"])).toBeGreaterThan(0);
  });

  it("fails without details, with 500", async () => {
    const response = await broken.app.inject(exampleRequest(operationId, await broken.token()));
    expectDocumented(operationId, 500, response);
    expect(response.body).not.toContain("fire");
  });

  it("says when to try again, with 503", async () => {
    const response = await overloaded.app.inject(exampleRequest(operationId, await overloaded.token()));
    expectDocumented(operationId, 503, response);
    expect(response.headers["retry-after"]).toBe("2");
  });
});

const aboutWebhooks = Object.values(operations).filter(({ path }) => path.includes(webhookParameter));

describe.each(aboutWebhooks)("$operationId, with 404", ({ operationId, path }) => {
  let service: WebhookService;
  beforeAll(async () => {
    service = await createWebhookService();
  });
  afterAll(() => service.close());

  const requestFor = (webhookId: string) => ({
    method: exampleRequest(operationId).method,
    url: path.replace(webhookParameter, webhookId).replace("{delivery_id}", "dl_0000000000000000"),
  });

  it.each(["wh_0000000000000000", "nonsense", "%20", "a".repeat(500)])("knows no webhook %s", async (id) => {
    const response = await service.call(requestFor(id));
    expectDocumented(operationId, 404, response);
    expect(response.json()).toMatchObject({ success: false, code: "webhook_not_found" });
  });

  it("knows no webhook of another account", async () => {
    const { id } = await service.createWebhook();
    expectDocumented(operationId, 404, await service.callAsOther(requestFor(id)));
  });

  it("knows no webhook that was deleted", async () => {
    const { id } = await service.createWebhook();
    await service.call({ method: "DELETE", url: `/webhooks/${id}` });
    expectDocumented(operationId, 404, await service.call(requestFor(id)));
  });
});

/** A service whose databases, indexes, models and marketplaces fail with this error. Tokens can be created all the same. */
function failingWith(error: Error): TestServiceOptions {
  const fail = async () => {
    throw error;
  };
  const failing = <Port extends object>(port: Port, working?: keyof Port): Port =>
    new Proxy(port, { get: (target, name) => (name === working ? Reflect.get(target, name) : fail) });
  const failNow = () => {
    throw error;
  };
  return {
    ports: (ports) => ({
      ...ports,
      catalogStore: failing(ports.catalogStore),
      catalogWrites: failing(ports.catalogWrites),
      writtenProducts: failing(ports.writtenProducts),
      storeCurrency: failing(ports.storeCurrency),
      textSearch: failing(ports.textSearch),
      marketplaceSources: recordOf(marketplaces, (one) => failing(ports.marketplaceSources[one])),
      insightStore: failing(ports.insightStore),
      searchCounter: { countSearch: failNow, countEvents: failNow },
      ruleStore: failing(ports.ruleStore),
      synonymEditor: failing(ports.synonymEditor),
      webhookStore: failing(ports.webhookStore),
      uploadedImageStore: failing(ports.uploadedImageStore, "slugOf"),
      productImageStore: failing(ports.productImageStore),
      visionModel: failing(ports.visionModel),
      vectorSearch: failing(ports.vectorSearch, "model"),
    }),
    stores: ({ unitOfWork }) => ({
      unitOfWork: {
        transact: (actor, work) => (actor.kind === "command" ? unitOfWork.transact(actor, work) : fail()),
      },
    }),
  };
}
