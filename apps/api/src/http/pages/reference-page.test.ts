import { fastify } from "fastify";
import { expect, it } from "vitest";
import { registerServiceRoutes } from "../service-routes.ts";

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
