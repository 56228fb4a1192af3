import { afterAll, expect, it } from "vitest";
import { createTestService } from "../../../testing/test-service.ts";

const origin = "https://shop.example";
const service = await createTestService({ environment: { CORS_ORIGINS: origin, TRIAL_RATE_LIMIT: "1/60" } });
afterAll(() => service.close());

const preflight = (from: string) =>
  service.app.inject({
    method: "OPTIONS",
    url: "/api/v1/webhooks",
    headers: { origin: from, "access-control-request-method": "POST" },
  });

it("responds to preflight requests before it checks methods and limits", async () => {
  for (let count = 0; count < 3; count++) {
    const response = await preflight(origin);
    expect(response.statusCode).toBe(204);
    expect(response.headers["access-control-allow-origin"]).toBe(origin);
    expect(response.headers["access-control-allow-methods"]).toBe("GET, POST, PUT, DELETE");
  }
});

it("lets only the listed origin read error responses", async () => {
  const refused = async (from: string) =>
    (await service.app.inject({ url: "/api/v1/nosuch", headers: { origin: from } })).headers;
  expect((await refused(origin))["access-control-allow-origin"]).toBe(origin);
  expect((await refused("https://other.example"))["access-control-allow-origin"]).toBeUndefined();
});
