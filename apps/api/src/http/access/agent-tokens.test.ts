import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../../testing/test-service.ts";

const site = "http://service.test";
const audience = `${site}/mcp`;
const keys = await generateKeyPair("ES256");
const otherKeys = await generateKeyPair("ES256");
/** An authorization server as small as can be. */
let authorization: Server;
let issuer: string;
let service: TestService;
let isDown = false;
let keyReads = 0;

beforeAll(async () => {
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: "first", alg: "ES256" };
  authorization = createServer((request, response) => {
    const isKeys = request.url === "/keys";
    if (isKeys) keyReads += 1;
    const body = isKeys ? { keys: [jwk] } : { issuer, jwks_uri: `${issuer}/keys` };
    const isKnown = isKeys || request.url === "/.well-known/openid-configuration";
    response.writeHead(isDown ? 500 : isKnown ? 200 : 404).end(JSON.stringify(body));
  });
  authorization.listen(0, "127.0.0.1");
  await once(authorization, "listening");
  issuer = `http://127.0.0.1:${(authorization.address() as AddressInfo).port}`;
  service = await createTestService({ environment: { AGENT_ISSUER: issuer } });
});
afterAll(async () => {
  await service.close();
  authorization.close();
});

interface Wanted {
  claims?: Record<string, unknown>;
  from?: string;
  to?: string | string[];
  lifeSeconds?: number;
  key?: CryptoKey;
}

function tokenOf({
  claims = {},
  from = issuer,
  to = audience,
  lifeSeconds = 60,
  key = keys.privateKey,
}: Wanted = {}) {
  const nowSeconds = Math.floor(service.clock.nowMs / 1000);
  return new SignJWT({ sub: "somebody@example.com", scope: "openid search", ...claims })
    .setProtectedHeader({ alg: "ES256", kid: "first", typ: "at+jwt" })
    .setIssuer(from)
    .setAudience(to)
    .setIssuedAt(nowSeconds)
    .setExpirationTime(nowSeconds + lifeSeconds)
    .sign(key);
}

const ask = (token: string | undefined, to = service) =>
  to.app.inject({
    method: "POST",
    url: "/mcp",
    headers: {
      host: "service.test",
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    payload: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
const challengeOf = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers["www-authenticate"]);
const metadataUrl = `${site}/.well-known/oauth-protected-resource/mcp`;

describe("the metadata of the protected resource", () => {
  it.each([
    ["/.well-known/oauth-protected-resource", site],
    ["/.well-known/oauth-protected-resource/mcp", audience],
  ])("is at %s", async (url, resource) => {
    const response = await service.app.inject(url);
    expect(response.headers["access-control-allow-origin"]).toBe("*");
    expect(response.json()).toEqual({
      resource,
      authorization_servers: [issuer],
      scopes_supported: ["search"],
      bearer_methods_supported: ["header"],
      resource_name: "Product search",
    });
  });

  it("is not there without AGENT_ISSUER, nor with AGENT_ACCESS=off", async () => {
    for (const environment of [{}, { AGENT_ISSUER: issuer, AGENT_ACCESS: "off" }]) {
      const other = await createTestService({ environment });
      for (const path of ["", "/mcp"])
        expect((await other.app.inject(`/.well-known/oauth-protected-resource${path}`)).statusCode).toBe(404);
      await other.close();
    }
  });

  it("is named where a token is asked for", async () => {
    const response = await ask(undefined);
    expect(response.statusCode).toBe(401);
    expect(challengeOf(response)).toContain(`resource_metadata="${metadataUrl}"`);
    expect(challengeOf(response)).toContain('scope="search"');
  });
});

describe("a token of the authorization server", () => {
  it.each<[string, Wanted]>([
    ["for the endpoint", {}],
    ["for the service", { to: site }],
    ["for several", { to: ["https://other.example", audience] }],
    ["with a list of scopes", { claims: { scope: undefined, scp: ["search"] } }],
    ["of a program", { claims: { sub: undefined, client_id: "robot" } }],
  ])("%s is accepted", async (_which, wanted) => {
    expect((await ask(await tokenOf(wanted))).statusCode).toBe(200);
  });

  it.each<[string, Wanted, string]>([
    ["of another issuer", { from: "https://other.example" }, "iss"],
    ["for another service", { to: "https://other.example/mcp" }, "aud"],
    ["that has expired", { lifeSeconds: -60 }, "expired"],
    ["signed by another key", { key: otherKeys.privateKey }, "signature"],
    ["of nobody", { claims: { sub: undefined } }, "subject"],
  ])("%s is 401 and says why", async (_which, wanted, reason) => {
    const response = await ask(await tokenOf(wanted));
    expect(response.statusCode).toBe(401);
    expect(challengeOf(response)).toMatch(/error="invalid_token".*resource_metadata=/);
    expect(response.json().message).toContain(reason);
  });

  it("that is not signed, or by a shared secret, is 401", async () => {
    const [, payload = ""] = (await tokenOf()).split(".");
    const header = (alg: string) => Buffer.from(JSON.stringify({ alg, kid: "first" })).toString("base64url");
    const secret = await new SignJWT({ sub: "somebody", scope: "search" })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime("1h")
      .sign(new TextEncoder().encode(JSON.stringify(await exportJWK(keys.publicKey))));
    for (const token of [`${header("none")}.${payload}.x`, secret])
      expect((await ask(token)).statusCode).toBe(401);
  });

  it("without the scope is 403 and names it", async () => {
    const response = await ask(await tokenOf({ claims: { scope: "openid" } }));
    expect(response.statusCode).toBe(403);
    expect(challengeOf(response)).toMatch(/insufficient_scope.*scope="search".*resource_metadata=/);
  });

  it("is good for the tools of agents alone", async () => {
    const headers = { authorization: `Bearer ${await tokenOf()}` };
    expect((await service.app.inject({ url: "/api/v1/search/catalog?q=mug", headers })).statusCode).toBe(401);
  });

  it("has a limit of its own for each subject", async () => {
    const limited = await createTestService({
      environment: { AGENT_ISSUER: issuer, TOKEN_RATE_LIMIT: "2/60" },
    });
    const statuses = [];
    for (const sub of ["one", "one", "one", "two"])
      statuses.push((await ask(await tokenOf({ claims: { sub } }), limited)).statusCode);
    expect(statuses).toEqual([200, 200, 429, 200]);
    await limited.close();
  });

  it("is checked with keys that are read once", async () => {
    const before = keyReads;
    for (let count = 0; count < 5; count++) await ask(await tokenOf());
    expect(keyReads).toBe(before);
  });

  it("is 503 while the authorization server gives no keys, and tokens of the service go on", async () => {
    isDown = true;
    const other = await createTestService({ environment: { AGENT_ISSUER: issuer } });
    const response = await ask(await tokenOf(), other);
    expect([response.statusCode, response.headers["retry-after"]]).toEqual([503, "5"]);
    expect((await ask(await other.token({ scopes: ["search"] }), other)).statusCode).toBe(200);
    await other.close();
    isDown = false;
  });
});
