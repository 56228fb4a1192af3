import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createMerchandisingService,
  type MerchandisingService,
} from "../../testing/merchandising-service.ts";

const id = "createRule";
let service: MerchandisingService;
beforeAll(async () => {
  service = await createMerchandisingService();
});
afterAll(() => service.close());

const rule = { name: "Boots first", when: { query: "boots" }, pin: [{ productId: "p_1", position: 1 }] };

const create = (body: object) => service.call("POST", "/rules", body);

describe("201", () => {
  it("stores the rule, and records it in the audit log", async () => {
    const response = await create(rule);
    expectDocumented(id, 201, response);
    const created = response.json().rule;
    expect(created).toMatchObject({ ...rule, enabled: true, createdAt: created.updatedAt });
    const { entries } = await service.stores.auditLog.list({ limit: 1 });
    expect(entries).toMatchObject([
      { action: "rule.created", subject: created.id, actor: { kind: "token" } },
    ]);
  });
});

describe("400", () => {
  it.each([
    ["nothing to fit", { when: {} }, /when/],
    ["a query without words", { when: { query: "!?" } }, /when\.query: has no letter/],
    ["match alone", { when: { match: "contains" } }, /when: has neither query nor categories/],
    [
      "a product pinned twice",
      { pin: [1, 2].map((position) => ({ productId: "p_1", position })) },
      /pin\[1\]/,
    ],
    ["a boost of nothing", { boost: [{ factor: 2 }] }, /boost/],
    [
      "a long name of an attribute",
      {
        boost: [
          { brands: ["A"], factor: 2 },
          { attributes: { ["m".repeat(51)]: ["oak"] }, factor: 2 },
        ],
      },
      /^boost\[1\]\.attributes: has a name of 51 characters\. Send names of 1 to 50/,
    ],
    [
      "an attribute without a name",
      { boost: [{ attributes: { " ": ["oak"] }, factor: 2 }] },
      /^boost\[0\]\.attributes: has an empty name/,
    ],
    ["a factor above ten", { boost: [{ brands: ["A"], factor: 11 }] }, /factor/],
    ["a page that is none", { redirectUrl: "javascript:alert(1)" }, /redirectUrl/],
    [
      "an end before its start",
      { from: "2026-11-27T00:00:00Z", until: "2026-11-26T00:00:00Z" },
      /until: is before/,
    ],
    ["a field that rules do not have", { boosts: [] }, /boosts/],
  ])("for %s", async (_, change, message) => {
    expectInvalid(id, message, await create({ ...rule, ...change }));
  });
});

describe("409", () => {
  it("when there are as many rules as are allowed", async () => {
    const actor = { kind: "command", user: "tester", host: "here" } as const;
    await service.stores.unitOfWork.transact(actor, async ({ ruleStore }) => {
      for (let made = (await ruleStore.read()).rules.length; made < 1000; made++)
        await ruleStore.create({ name: `${made}`, when: { query: `boots ${made}` } }, 1000);
    });
    const response = await create(rule);
    expectDocumented(id, 409, response);
    expect(response.json().code).toBe("rule_limit_reached");
  });
});

describe("413", () => {
  it("for a body above the limit", async () => {
    expectDocumented(id, 413, await service.call("POST", "/rules", { name: "x".repeat(10 * 1024 * 1024) }));
  });
});

describe("415", () => {
  it("for another media type", async () => {
    expectDocumented(id, 415, await service.call("POST", "/rules", "boots"));
  });
});
