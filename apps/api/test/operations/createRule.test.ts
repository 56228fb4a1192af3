import { expectDocumented, expectInvalid } from "@product-search/testing/spec-check.ts";
import { afterAll, describe, expect, it } from "vitest";
import { createMerchandisingService } from "../../testing/merchandising-service.ts";

const id = "createRule";
const service = await createMerchandisingService();
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
    ["a pin in every search", { when: {} }, /^when: has neither query nor categories.*leave pin out/],
    [
      "another text for every search",
      { when: {}, pin: undefined, replaceQuery: "lamp" },
      /leave replaceQuery out/,
    ],
    ["a query without words", { when: { query: "!?" } }, /when\.query: has no letter/],
    ["match alone", { when: { match: "contains" } }, /when\.match: needs when\.query/],
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
  const ids = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `p_${from + i}`);
  const naming = (count: number) => ({
    name: "Many products",
    when: {},
    boost: Array.from({ length: Math.ceil(count / 200) }, (_, i) => ({
      productIds: ids(Math.min(200, count - i * 200), i * 200),
      factor: 2,
    })),
  });
  const expectLimit = (response: Awaited<ReturnType<typeof create>>, message: RegExp) => {
    expectDocumented(id, 409, response);
    expect(response.json()).toMatchObject({
      code: "rule_limit_reached",
      message: expect.stringMatching(message),
    });
  };
  const deleteAll = async () => {
    for (const { id: ruleId } of (await service.call("GET", "/rules")).json().rules)
      await service.call("DELETE", `/rules/${ruleId}`);
  };

  it("when a rule names more than 2000 products", async () => {
    expectLimit(await create({ ...naming(2000), hide: ["p_x"] }), /name 2001 products/);
  });

  it("when all rules would name more than 20,000 products, and stores nothing then", async () => {
    await deleteAll();
    for (let i = 0; i < 10; i++) expect((await create(naming(2000))).statusCode).toBe(201);
    expectLimit(await create(naming(1)), /would name 20001 products/);
    const [first] = (await service.call("GET", "/rules")).json().rules;
    expect(first.when).toEqual({});
    const other = { ...naming(1999), updatedAt: first.updatedAt };
    const replaced = await service.call("PUT", `/rules/${first.id}`, other);
    expect(replaced.statusCode).toBe(200);
    expect((await create(naming(1))).statusCode).toBe(201);
    await deleteAll();
  });

  it("when all rules would have more than 4 MB", async () => {
    const large = {
      name: "Large",
      when: { query: "boots" },
      boost: Array.from({ length: 20 }, (_, i) => ({
        factor: 2,
        brands: Array.from({ length: 50 }, (_, j) => `${i} ${j} ${"x".repeat(190)}`),
        categories: Array.from({ length: 50 }, (_, j) => `${i} ${j} ${"x".repeat(190)}`),
      })),
    };
    const statuses: number[] = [];
    let last = await create(large);
    for (; last.statusCode === 201 && statuses.length < 20; last = await create(large)) statuses.push(201);
    expectLimit(last, /would have \d+ bytes/);
    expect(statuses).toHaveLength(10);
    const { entries } = await service.stores.auditLog.list({ limit: 1 });
    expect(JSON.stringify(entries).length).toBeLessThan(8500);
    await deleteAll();
  });

  it("when there are as many rules as are allowed", async () => {
    const actor = { kind: "command", user: "tester", host: "here" } as const;
    await service.stores.unitOfWork.transact(actor, async ({ ruleStore }) => {
      for (let made = (await ruleStore.read()).rules.length; made < 1000; made++)
        await ruleStore.create({ name: `${made}`, when: { query: `boots ${made}` } });
    });
    expectLimit(await create(rule), /There are 1000 rules/);
  });
});
