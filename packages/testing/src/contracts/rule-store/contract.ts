import type { Clock } from "@product-search/core/ports/clock.ts";
import type { RuleDefinition, RuleStore } from "@product-search/core/ports/rule-store.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

const limit = 10;

const ruleFor = (query: string): RuleDefinition => ({
  name: `Rule for ${query}`,
  when: { query },
  pin: [{ productId: "p_1", position: 1 }],
});

/** Tests for every rule store. */
export function describeRuleStore(
  open: (clock: Clock) => Promise<{ store: RuleStore; close(): Promise<void> }>,
): void {
  let nowMs: number;
  let store: RuleStore;
  let close: () => Promise<void>;
  beforeEach(async () => {
    nowMs = Date.parse("2026-11-20T12:00:00Z");
    ({ store, close } = await open({ now: () => nowMs }));
  });
  afterEach(() => close());

  const create = async (query: string) => {
    const rule = await store.create(ruleFor(query), limit);
    if (rule === undefined) throw new Error("There are too many rules.");
    return rule;
  };
  const names = async () => (await store.read()).rules.map(({ definition }) => definition.when.query);

  test("starts without rules", async () => {
    expect(await store.version()).toBeUndefined();
    expect(await store.read()).toEqual({ version: undefined, rules: [] });
    expect(await store.history("rule_0")).toEqual([]);
  });

  test("keeps rules in the order in which they were created, with a new version each", async () => {
    const boots = await create("boots");
    const version = await store.version();
    expect(boots).toMatchObject({ definition: ruleFor("boots"), createdAtMs: nowMs, updatedAtMs: nowMs });
    await create("lamps");
    expect(await names()).toEqual(["boots", "lamps"]);
    expect(await store.version()).not.toBe(version);
    expect((await store.read()).version).toBe(await store.version());
    expect((await store.read()).rules[0]).toEqual(boots);
  });

  test("creates no more than the limit", async () => {
    await create("boots");
    expect(await store.create(ruleFor("lamps"), 1)).toBeUndefined();
    expect(await names()).toEqual(["boots"]);
  });

  test("replaces only the rule that was read, also within one millisecond", async () => {
    const { id, updatedAtMs } = await create("boots");
    const replaced = await store.replace(id, ruleFor("shoes"), updatedAtMs);
    expect(replaced?.isReplaced).toBe(true);
    expect(replaced?.rule.updatedAtMs).toBeGreaterThan(updatedAtMs);
    expect(await store.replace(id, ruleFor("lamps"), updatedAtMs)).toEqual({
      ...replaced,
      isReplaced: false,
    });
    expect(await names()).toEqual(["shoes"]);
    expect(await store.replace("rule_0", ruleFor("lamps"), updatedAtMs)).toBeUndefined();
  });

  test("removes a rule once", async () => {
    const { id } = await create("boots");
    expect(await store.remove(id)).toMatchObject({ id });
    expect(await store.remove(id)).toBeUndefined();
    expect(await names()).toEqual([]);
  });

  test("puts rules into another order, and leaves unknown ones out", async () => {
    await create("boots");
    const lamps = await create("lamps");
    const mugs = await create("mugs");
    await store.order([mugs.id, "rule_0", lamps.id]);
    expect(await names()).toEqual(["mugs", "lamps", "boots"]);
    await create("shelves");
    expect(await names()).toEqual(["mugs", "lamps", "boots", "shelves"]);
  });

  test("keeps the newest hundred changes of a rule, also after its deletion", async () => {
    const first = await create("boots");
    let { updatedAtMs } = first;
    for (let i = 0; i < 100; i++) {
      nowMs += 1000;
      const replaced = await store.replace(first.id, ruleFor(`boots ${i}`), updatedAtMs);
      updatedAtMs = replaced?.rule.updatedAtMs ?? 0;
    }
    nowMs += 1000;
    await store.remove(first.id);
    const history = await store.history(first.id);
    expect(history).toHaveLength(100);
    expect(history[0]).toMatchObject({ change: "deleted", atMs: nowMs });
    expect(history[1]).toMatchObject({ change: "replaced", rule: { definition: ruleFor("boots 99") } });
    expect(history.at(-1)).toMatchObject({ change: "replaced", rule: { definition: ruleFor("boots 1") } });
  });
}
