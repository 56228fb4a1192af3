import { METHODS, request } from "node:http";
import type { AddressInfo } from "node:net";
import { operations } from "@product-search/spec/operations";
import { fastify } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";
import { registerServiceRoutes } from "./service-routes.ts";

describe("methods", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await createTestService({ environment: { TRIAL_RATE_LIMIT: "0" } });
    await service.app.listen({ port: 0, host: "127.0.0.1" });
  });
  afterAll(() => service.close());

  interface Response {
    status: number;
    allow: string | undefined;
    body: string;
  }

  function send(app: TestService["app"], method: string, path: string): Promise<Response> {
    const { port } = app.server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const sent = request({ port, host: "127.0.0.1", method, path, agent: false });
      sent.on("error", reject);
      sent.on("response", async (response) => {
        let body = "";
        for await (const chunk of response.setEncoding("utf8")) body += chunk;
        resolve({ status: response.statusCode ?? 0, allow: response.headers.allow, body });
      });
      sent.end();
    });
  }

  // CONNECT has no path: see responses/send-error.test.ts.
  const methods = METHODS.filter((method) => method !== "CONNECT");
  const paths = Map.groupBy(Object.values(operations), ({ path }) => path);

  describe.each(methods)("%s", (method) => {
    it("is 405 with Allow on every path of the spec that does not support it", async () => {
      for (const [path, known] of paths) {
        const allowed = known.map((operation): string => operation.method);
        if (allowed.includes(method)) continue;
        const received = await send(service.app, method, `/api/v1${path.replaceAll(/[{}]/g, "")}`);
        expect([path, received.status, received.allow]).toEqual([path, 405, allowed.join(", ")]);
        if (method !== "HEAD")
          expect(JSON.parse(received.body)).toMatchObject({ code: "method_not_allowed" });
      }
    });

    it("is 404 on other paths", async () => {
      for (const path of ["/nosuch", "/api/v1", "/api/v1/nosuch", "/api/v1/webhooks/a/b/c"]) {
        const received = await send(service.app, method, path);
        expect([path, received.status]).toEqual([path, 404]);
        if (method !== "HEAD") expect(JSON.parse(received.body)).toMatchObject({ code: "not_found" });
      }
    });
  });

  it("a path that is too long for the router is 404 with the right method, and 405 with a wrong one", async () => {
    const path = `/api/v1/webhooks/${"x".repeat(2001)}`;
    expect((await send(service.app, "DELETE", path)).status).toBe(404);
    expect((await send(service.app, "PUT", path)).status).toBe(405);
  });

  it("is counted by IP address, whatever the method and the path", async () => {
    const limited = await createTestService({ environment: { TRIAL_RATE_LIMIT: "6/60" } });
    await limited.app.listen({ port: 0, host: "127.0.0.1" });
    const wrong = [
      ["QUERY", "/api/v1/search"],
      ["QUERY", "/nosuch"],
      ["PUT", "/api/v1/webhooks"],
      ["GET", "/nosuch"],
      ["TRACE", "/api/v1/search/trial"],
      ["GET", "/%zz"],
    ] as const;
    const statuses = async () => {
      const responses = [];
      for (const [method, path] of wrong) responses.push((await send(limited.app, method, path)).status);
      return responses;
    };
    expect(await statuses()).toEqual([405, 404, 405, 404, 405, 404]);
    expect(await statuses()).toEqual([429, 429, 429, 429, 429, 429]);
    await limited.close();
  });
});

describe("reference page", () => {
  it("shows the reference at /docs from the service's own files, with scripts allowed by a nonce only", async () => {
    const app = fastify();
    await registerServiceRoutes(app, {
      state: { notReady: () => undefined, metrics: async () => "" },
      config: { metricsToken: undefined, metricsPort: undefined },
      guard: { countPage: async () => {} },
    });
    const get = (url: string) => app.inject({ method: "GET", url });
    expect((await get("/docs")).headers.location).toBe("/docs/");
    const page = await get("/docs/");
    const nonce = /script-src 'nonce-([^']+)'/.exec(String(page.headers["content-security-policy"]))?.[1];
    expect(nonce).toBeDefined();
    const scripts = page.body.match(/<script[\s>][^>]*/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of scripts) expect(script).toContain(`nonce="${nonce}"`);
    expect(page.body).toContain('<a href="/">');
    const code = await get("/docs/js/scalar.js");
    expect(code.statusCode).toBe(200);
    expect(code.headers["content-type"]).toContain("javascript");
    expect((await get("/docs/nothing")).statusCode).toBe(404);
    await app.close();
  });
});
