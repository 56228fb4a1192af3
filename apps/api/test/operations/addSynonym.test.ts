import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

const id = "addSynonym";
let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["merchandising"] });
});
afterAll(() => service.close());

const add = (body: object | string, contentType = "application/json") =>
  service.app.inject({
    method: "POST",
    url: "/api/v1/synonyms",
    headers: { authorization: `Bearer ${token}`, "content-type": contentType },
    payload: typeof body === "string" ? body : JSON.stringify(body),
  });
const entries = async () => (await service.stores.auditLog.list({ limit: 10 })).entries;

describe("200", () => {
  it("adds a rule, and records that in the audit log", async () => {
    const response = await add({ rule: "Tufted sofa,  chesterfield" });
    expectDocumented(id, 200, response);
    const synonym = { rule: "chesterfield, tufted sofa", origin: "added" };
    expect(response.json()).toEqual({ status: "success", synonym });
    const [newest] = await entries();
    expect(newest).toMatchObject({
      action: "synonym.added",
      subject: synonym.rule,
      actor: { kind: "token" },
    });
  });

  it("changes nothing when the rule applies already", async () => {
    const before = await entries();
    const response = await add({ rule: "sofa, settee, couch" });
    expectDocumented(id, 200, response);
    expect(response.json().synonym).toEqual({ rule: "couch, settee, sofa", origin: "included" });
    expect(await entries()).toEqual(before);
  });
});

describe("400", () => {
  it.each([
    ["nothing to find", "alone word", /is not a rule/],
    ["two lines", "a1, b1\nc1, d1", /rule: is not one rule/],
    ["a comment", "# couch, sofa", /rule: is not one rule/],
    ["no effect", "couch, leather couch", /it has no effect/],
  ])("for a rule with %s", async (_, rule, message) => {
    expectInvalid(id, message, await add({ rule }));
  });

  it("without a rule", async () => {
    expectInvalid(id, /rule/, await add({}));
  });
});

describe("409", () => {
  it("when there are as many rules as are allowed", async () => {
    const rules = Array.from({ length: 2000 }, (_, i) => `a${i}b, c${i}d`);
    const former = await service.stores.synonymStore.version();
    await service.stores.synonymStore.replace({ added: rules, removed: [] }, former);
    const response = await add({ rule: "one more, another" });
    expectDocumented(id, 409, response);
    expect(response.json().code).toBe("rule_limit_reached");
    await service.stores.synonymStore.replace(
      { added: [], removed: [] },
      await service.stores.synonymStore.version(),
    );
  });
});
