import { freePort } from "@product-search/testing/outbound-http/listen.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommand } from "../../testing/run-command.ts";
import { makeDataDir, removeDataDir, serve } from "../../testing/running-service.ts";

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
    const wider = ["token", "create", "--account", "acme", "--scopes", "search,catalog", "--filter", filter];
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
  const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${metricsPort}${path}`, init);
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
  expect((await ask("/metrics")).status).toBe(401);
  expect((await ask("/healthz")).status).toBe(404);
  expect((await ask("/metrics", { method: "POST" })).status).toBe(405);
  const read = async () => (await ask("/metrics", { headers: { authorization: `Bearer ${token}` } })).text();
  expect(await read()).toContain("product_search_http_requests_total");
  // Threads that have just started have no metrics yet.
  await expect.poll(read, { timeout: 60_000 }).toContain('product_search_dead_letters{queue="deliveries"} 0');
  service.child.kill("SIGTERM");
  expect(await service.exit).toBe(0);
});
