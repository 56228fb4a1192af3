import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "listSynonyms";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["merchandising"] });
});
afterAll(() => service.close());

const call = (method: "GET" | "POST" | "DELETE", query: Record<string, string> = {}, payload?: object) =>
  service.app.inject({
    method,
    url: "/api/v1/synonyms",
    query,
    headers: { authorization: `Bearer ${token}` },
    ...(payload && { payload }),
  });

describe("200", () => {
  it("lists included, added and removed rules", async () => {
    await call("POST", {}, { rule: "chesterfield, tufted sofa" });
    await call("DELETE", { rule: "couch, settee, sofa" });
    const response = await call("GET");
    expectDocumented(id, 200, response);
    const { synonyms } = response.json();
    expect(synonyms.length).toBeGreaterThan(400);
    expect(synonyms).toContainEqual({ rule: "chesterfield, tufted sofa", origin: "added" });
    expect(synonyms).toContainEqual({ rule: "couch, settee, sofa", origin: "removed" });
    expect((await call("GET", { origin: "added" })).json().synonyms).toEqual([
      { rule: "chesterfield, tufted sofa", origin: "added" },
    ]);
  });
});

describe("400", () => {
  it("for an origin that no rule has", async () => {
    expectInvalid(id, /origin/, await call("GET", { origin: "own" }));
  });
});
