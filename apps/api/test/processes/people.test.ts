import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@product-search/testing/outbound-http/listen.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  run,
  serve,
  serveReady,
} from "../../testing/running-service.ts";

describe("people", () => {
  let dataDir: string;
  let service: RunningService;
  beforeAll(async () => {
    dataDir = makeDataDir();
    service = await serveReady({ DATA_DIR: dataDir, THREADS: "1" });
  });
  afterAll(async () => {
    service.child.kill("SIGTERM");
    await service.exit;
    removeDataDir(dataDir);
  });

  const call = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(`${service.url}${path}`, {
      redirect: "manual",
      ...init,
      headers: { origin: service.url, ...headers },
    });

  async function command(...args: string[]): Promise<string> {
    return (await runCommand(args, { DATA_DIR: dataDir, PORT: new URL(service.url).port })).output;
  }

  async function invite(name: string, scopes: string): Promise<string> {
    const { url } = JSON.parse(await command("invite", name, "--scopes", scopes, "--json"));
    return new URL(url).pathname;
  }

  /** The cookie that the button of the invitation sets. */
  async function signIn(path: string): Promise<string> {
    const response = await call(path, { method: "POST" });
    expect(response.status).toBe(303);
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/; Path=\/console; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    return cookie.split(";")[0] ?? "";
  }

  const rule = { name: "Lamps", when: { query: "lamp" }, hide: ["5f2c1a9e0b7d4c3a8e6f1b20"] };
  const createRule = (cookie: string, headers: Record<string, string> = {}) =>
    call("/console/api/v1/rules", {
      method: "POST",
      headers: { cookie, "content-type": "application/json", ...headers },
      body: JSON.stringify(rule),
    });

  describe("the console", () => {
    it("has an invitation for its first person, which `serve` prints", async () => {
      // It is printed a moment after the service responds.
      await expect.poll(service.output).toMatch(/\/invite\/\S+\n/);
      const path = /\/invite\/\S+/.exec(service.output())?.[0] ?? "";
      const cookie = await signIn(path);
      const session = await call("/console/session", { headers: { cookie } });
      expect(await session.json()).toEqual({
        name: "owner",
        scopes: ["search", "webhooks", "catalog", "merchandising"],
      });
      expect(await (await call("/console/session")).json()).toEqual({});
    });

    it("signs in by the button of an invitation, once; opening the link uses nothing up", async () => {
      const path = await invite("Ada", "search,merchandising");
      for (let visit = 0; visit < 2; visit++) {
        const page = await call(path);
        expect(page.status).toBe(200);
        expect(await page.text()).toContain("Sign in as Ada");
        expect(page.headers.get("referrer-policy")).toBe("same-origin");
      }
      // Another page could sign its visitors in as somebody else.
      for (const origin of ["https://evil.example", "null"])
        expect((await call(path, { method: "POST", headers: { origin } })).status).toBe(403);
      await signIn(path);
      expect((await call(path)).status).toBe(404);
      expect((await call(path, { method: "POST" })).status).toBe(404);
      expect((await call("/invite/unknown")).status).toBe(404);
      expect((await call(`/invite/${"x".repeat(500)}`, { method: "POST" })).status).toBe(404);
    });

    it("writes in the name of the person, with the person's scopes, from its own page alone", async () => {
      const cookie = await signIn(await invite("Grace", "search,merchandising"));
      const search = await call("/console/api/v1/search/catalog?q=lamp", { headers: { cookie } });
      expect(search.status).toBe(200);
      expect((await createRule(cookie)).status).toBe(201);
      for (const origin of ["https://evil.example", "null"]) {
        const refused = await createRule(cookie, { origin });
        expect(refused.status).toBe(403);
        expect(await refused.json()).toMatchObject({ message: expect.stringMatching(/^Origin:/) });
      }
      const entry = JSON.parse(await command("audit", "--json")).find(
        ({ action }: { action: string }) => action === "rule.created",
      );
      expect(entry).toMatchObject({ by: "Grace", from: "127.0.0.1" });
      const webhooks = await call("/console/api/v1/webhooks", { headers: { cookie } });
      expect(webhooks.status).toBe(403);
    });

    it("gives the interface no session: /api/v1 takes tokens alone", async () => {
      const cookie = await signIn(await invite("Mary", "search"));
      expect((await call("/api/v1/search/catalog?q=lamp", { headers: { cookie } })).status).toBe(401);
      const forged = cookie.replace(
        /\.(.)([^.]*)$/,
        (_, first, rest) => `.${first === "A" ? "B" : "A"}${rest}`,
      );
      for (const other of [forged, "product_search_session=a.b.c", ""])
        expect(
          (await call("/console/api/v1/search/catalog?q=a", { headers: { cookie: other } })).status,
        ).toBe(401);
    });

    it("ends a session when the person signs out, and all of somebody's when they are revoked", async () => {
      const cookie = await signIn(await invite("Joan", "search"));
      const signedOut = await call("/console/sign-out", { method: "POST", headers: { cookie } });
      expect(signedOut.status).toBe(204);
      expect(signedOut.headers.get("set-cookie")).toMatch(/^product_search_session=; .*Max-Age=0$/);
      expect(JSON.parse(await command("people", "list", "--json"))).toContainEqual(
        expect.objectContaining({ name: "Joan", scopes: "search", revokedAt: null }),
      );
      await command("people", "revoke", "Joan");
      expect(await (await call("/console/session", { headers: { cookie } })).json()).toEqual({});
      await signIn(await invite("Joan", "search"));
      expect(await (await call("/console/session", { headers: { cookie } })).json()).toEqual({});
      expect(await command("people", "revoke", "Nobody")).toMatch(/Nobody named "Nobody"/);
    });
  });
});

describe("access", () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = makeDataDir();
  });
  afterAll(() => removeDataDir(dataDir));

  const command = (args: readonly string[], environment: Record<string, string> = {}) =>
    runCommand(args, { DATA_DIR: dataDir, ...environment });
  const create = ["token", "create", "--account", "acme", "--scopes", "search", "--json"];
  const made = async (args: readonly string[], environment: Record<string, string> = {}) =>
    JSON.parse((await command([...create, ...args], environment)).output);

  describe("token create", () => {
    it("uses the expiry in TOKEN_EXPIRY_DAYS, unless another or none is given", async () => {
      const environment = { TOKEN_EXPIRY_DAYS: "30" };
      const daysOf = ({ createdAt, expiresAt }: { createdAt: string; expiresAt: string }) =>
        Math.round((Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000);
      expect(daysOf(await made([], environment))).toBe(30);
      expect(daysOf(await made(["--expires-in-days", "5"], environment))).toBe(5);
      expect(await made(["--no-expiry"], environment)).toMatchObject({ expiresAt: null });
      expect(await made([])).toMatchObject({ expiresAt: null });
      const both = await command([...create, "--no-expiry", "--expires-in-days", "5"]);
      expect(both).toMatchObject({ code: 2, output: expect.stringContaining("exclude each other") });
    });

    it("makes public tokens, which can only search, and lists them as such", async () => {
      const open = ["token", "create", "--account", "acme", "--public", "--json"];
      const origins = "https://shop.example,http://127.0.0.1:8080";
      const made = JSON.parse((await command([...open, "--origins", origins])).output);
      expect(made).toMatchObject({ scopes: "search", public: true, origins });
      expect(JSON.parse((await command(open)).output)).toMatchObject({ public: true, origins: "*" });
      const listed = JSON.parse((await command(["token", "list", "--json"])).output);
      expect(listed).toContainEqual(expect.objectContaining({ id: made.id, public: true, origins }));
      const [entry] = JSON.parse((await command(["audit", "--json", "--limit", "2"])).output).slice(1);
      expect(entry).toMatchObject({ action: "token.created", details: { publicOrigins: origins } });
      for (const [args, message] of [
        [[...open, "--scopes", "search,webhooks"], "scope search only"],
        [[...open, "--origins", "https://shop.example/"], "is not an origin"],
        [[...create, "--origins", "https://shop.example"], "add --public"],
        [["token", "create", "--account", "acme"], "--scopes is missing"],
      ] as const) {
        expect(await command(args)).toMatchObject({ code: 2, output: expect.stringContaining(message) });
      }
    });

    it("takes a filter of what the token sees, and refuses what is none", async () => {
      const filter = "brands=Ilmari,Smith\\, Wesson&onSale=true";
      expect(await made(["--filter", filter])).toMatchObject({ filter });
      expect(await made([])).toMatchObject({ filter: null });
      for (const [wrong, message] of [
        ["", "filter: is empty"],
        ["onSale=false", "filter: is empty"],
        ["q=mug", "q: is not a filter"],
        ["brands=", "is too short"],
        ["minRating=9", "minRating: 9 is too large"],
        ["priceRange=[5,1]", "priceRange:"],
        ["attributes=color", "attributes:"],
      ] as const)
        expect(await command([...create, "--filter", wrong])).toMatchObject({
          code: 2,
          output: expect.stringContaining(message),
        });
      const wider = [
        "token",
        "create",
        "--account",
        "acme",
        "--scopes",
        "search,catalog",
        "--filter",
        filter,
      ];
      expect(await command(wider)).toMatchObject({
        code: 2,
        output: expect.stringContaining("scope search only"),
      });
    });

    it("takes networks, and refuses what is none", async () => {
      const networks = "203.0.113.0/24,2001:db8::/32";
      expect(await made(["--networks", networks])).toMatchObject({ networks });
      const refused = await command([...create, "--networks", "203.0.113.7"]);
      expect(refused).toMatchObject({ code: 2, output: expect.stringContaining("write 203.0.113.7/32") });
    });
  });

  it("audit shows what commands did, and who ran them", async () => {
    const { id } = await made([]);
    await command(["token", "revoke", id]);
    const { output } = await command(["audit", "--json", "--limit", "2"]);
    const by = expect.stringMatching(/^user ./);
    expect(JSON.parse(output)).toMatchObject([
      { action: "token.revoked", subject: id, by, from: expect.any(String), account: null },
      { action: "token.created", subject: id, by, details: { account: "acme", scopes: "search" } },
    ]);
    expect((await command(["audit"])).output).toContain("token.revoked");
  });

  it("METRICS_PORT moves the metrics, and METRICS_TOKEN protects them", async () => {
    const metricsPort = await freePort();
    const token = "a-token-of-24-characters";
    const service = await serve({
      DATA_DIR: dataDir,
      THREADS: "1",
      METRICS_PORT: String(metricsPort),
      METRICS_TOKEN: token,
    });
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`http://127.0.0.1:${metricsPort}${path}`, init);
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
    expect((await ask("/metrics")).status).toBe(401);
    expect((await ask("/healthz")).status).toBe(404);
    expect((await ask("/metrics", { method: "POST" })).status).toBe(405);
    const read = async () =>
      (await ask("/metrics", { headers: { authorization: `Bearer ${token}` } })).text();
    expect(await read()).toContain("product_search_http_requests_total");
    // Threads that have just started have no metrics yet.
    await expect
      .poll(read, { timeout: 60_000 })
      .toContain('product_search_dead_letters{queue="deliveries"} 0');
    service.child.kill("SIGTERM");
    expect(await service.exit).toBe(0);
  });
});

describe("secrets", () => {
  const dataDir = makeDataDir();
  let service: RunningService;
  let token: string;
  beforeAll(async () => {
    service = await serveReady({
      DATA_DIR: dataDir,
      THREADS: "1",
      LOG_LEVEL: "trace",
      WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
    });
    const args = ["token", "create", "--account", "acme", "--scopes", "search,webhooks", "--json"];
    const creating = run(args, { DATA_DIR: dataDir });
    await creating.exit;
    token = JSON.parse(creating.output()).token;
  });
  afterAll(async () => {
    service.child.kill("SIGKILL");
    await service.exit;
    removeDataDir(dataDir);
  });

  function send(path: string, body?: string | null, authorization = `Bearer ${token}`): Promise<Response> {
    const type = body ? { "content-type": "application/json" } : {};
    const headers = { authorization, ...type };
    const request = body === undefined ? { headers } : { method: "POST", headers, body };
    return fetch(`${service.url}${path}`, request);
  }

  it("no token, key, image, query text or target is logged, even at the level trace", async () => {
    const image = Buffer.from("image-bytes-that-are-no-image").toString("base64");
    const target = "http://127.0.0.1:9001/receive?key=target-secret";
    const creation = JSON.stringify({ webhookUrl: target, webhookType: "price.alert" });
    const created = await (await send("/api/v1/webhooks", creation)).text();
    const { data }: { data: { id: string; apiKey: string } } = JSON.parse(created);
    const webhook = `/api/v1/webhooks/${data.id}`;
    const requests: [path: string, body?: string | null, authorization?: string][] = [
      ["/api/v1/search/trial?q=query-words"],
      ["/api/v1/search/marketplace-a?q=query-words&nonsense=query-words"],
      ["/api/v1/deep-search", JSON.stringify({ query: "query-words" })],
      ["/api/v1/search/brands", '{"query": "query-words"'],
      ["/api/v1/search/brands", '{"query": "a"}', "Bearer pss_guessed-token"],
      ["/api/v1/vectorize-image", JSON.stringify({ base64String: image })],
      [`${webhook}/test`, null],
      [`${webhook}/rotate-key`, null],
      ["/api/v1/nowhere?q=query-words"],
    ];
    const statuses: number[] = [];
    for (const [path, body, authorization] of requests) {
      statuses.push((await send(path, body, authorization)).status);
    }
    expect(new Set(statuses)).toEqual(new Set([200, 400, 401, 404]));
    const secretKey = readFileSync(join(dataDir, "secret.key"), "utf8").trim();
    expect(data.apiKey).toMatch(/^whsec_/);
    await expect.poll(service.output).toContain('"operation":"other"');
    for (const secret of [
      token,
      "guessed-token",
      data.apiKey,
      secretKey,
      image,
      "query-words",
      "target-secret",
    ]) {
      expect(service.output()).not.toContain(secret);
    }
  });

  it("the key file can be read by its owner only", () => {
    expect(statSync(join(dataDir, "secret.key")).mode & 0o077).toBe(0);
  });
});
