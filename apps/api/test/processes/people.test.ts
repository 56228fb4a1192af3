import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import {
  makeDataDir,
  type RunningService,
  removeDataDir,
  serveReady,
} from "../../testing/running-service.ts";

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
      expect((await call("/console/api/v1/search/catalog?q=a", { headers: { cookie: other } })).status).toBe(
        401,
      );
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
