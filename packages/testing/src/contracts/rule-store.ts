import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  historyPageBytes,
  maxRuleHistoryBytes,
  type RuleDefinition,
  type RuleStore,
} from "@product-search/core/ports/merchandising.ts";
import { afterEach, beforeEach, expect, test } from "vitest";

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

  const create = (query: string) => store.create(ruleFor(query));
  const names = async () => (await store.read()).rules.map(({ definition }) => definition.when.query);

  test("starts without rules", async () => {
    expect(await store.version()).toBeUndefined();
    expect(await store.read()).toEqual({ version: undefined, rules: [] });
    expect(await store.totals()).toEqual({ rules: 0, productIds: 0, bytes: 0 });
    expect(await store.history("rule_0", { limit: 10 })).toEqual({ entries: [] });
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

  test("adds up what the rules have together", async () => {
    const { id, updatedAtMs } = await create("boots");
    const definition = { ...ruleFor("lamps"), hide: ["ö1", "2"], boost: [{ productIds: ["3"], factor: 2 }] };
    const { id: other } = await store.create(definition);
    const bytes = (...some: RuleDefinition[]) =>
      some.reduce((sum, one) => sum + Buffer.byteLength(JSON.stringify(one)), 0);
    expect(await store.totals()).toEqual({
      rules: 2,
      productIds: 5,
      bytes: bytes(ruleFor("boots"), definition),
    });
    await store.replace(id, definition, updatedAtMs);
    await store.remove(other);
    expect(await store.totals()).toEqual({ rules: 1, productIds: 4, bytes: bytes(definition) });
  });

  test("reads again only what has changed", async () => {
    const boots = await create("boots");
    const lamps = await create("lamps");
    const { rules } = await store.read();
    await store.replace(boots.id, ruleFor("shoes"), boots.updatedAtMs);
    await create("mugs");
    await store.order([lamps.id]);
    const newest = await store.read(rules);
    expect(newest).toEqual(await store.read());
    expect(newest.rules[0]).toBe(rules[1]);
    await store.remove(lamps.id);
    expect((await store.read(newest.rules)).rules).toHaveLength(2);
  });

  test("replaces only the rule that was read, also within one millisecond", async () => {
    const { id, updatedAtMs } = await create("boots");
    const replaced = await store.replace(id, ruleFor("shoes"), updatedAtMs);
    expect(replaced?.isReplaced).toBe(true);
    expect(replaced?.former.definition).toEqual(ruleFor("boots"));
    expect(replaced?.rule.updatedAtMs).toBeGreaterThan(updatedAtMs);
    expect(await store.replace(id, ruleFor("lamps"), updatedAtMs)).toEqual({
      isReplaced: false,
      former: replaced?.rule,
      rule: replaced?.rule,
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
    const { entries: history, next } = await store.history(first.id, { limit: 100 });
    expect(next).toBeUndefined();
    expect(history).toHaveLength(100);
    expect(history[0]).toMatchObject({ change: "deleted", atMs: nowMs });
    expect(history[1]).toMatchObject({ change: "replaced", rule: { definition: ruleFor("boots 99") } });
    expect(history.at(-1)).toMatchObject({ change: "replaced", rule: { definition: ruleFor("boots 1") } });
  });

  test("shows a history in pages, which large rules make shorter", async () => {
    const { id, updatedAtMs } = await create("boots");
    const large = { ...ruleFor("boots"), name: "x".repeat(historyPageBytes / 2) };
    let atMs = updatedAtMs;
    for (const name of [large.name, "a", large.name, large.name, "b", "c"])
      atMs = (await store.replace(id, { ...large, name }, atMs))?.rule.updatedAtMs ?? 0;
    const pages: number[][] = [];
    for (let before: number | undefined; ; ) {
      const page = await store.history(id, { limit: 3, ...(before !== undefined && { before }) });
      pages.push(page.entries.map(({ number }) => number));
      before = page.next;
      if (before === undefined) break;
    }
    expect(pages).toEqual([[7, 6, 5], [4, 3, 2], [1]]);
    await store.replace(id, large, atMs);
    expect((await store.history(id, { limit: 100 })).entries.map(({ number }) => number)).toEqual([
      8, 7, 6, 5,
    ]);
  });

  test("deletes the oldest changes of any rule when all are too large", async () => {
    const { id: small } = await create("boots");
    nowMs += 1000;
    const large = { ...ruleFor("lamps"), name: "x".repeat(maxRuleHistoryBytes / 4) };
    const { id, updatedAtMs } = await store.create(large);
    let atMs = updatedAtMs;
    for (let i = 0; i < 4; i++) atMs = (await store.replace(id, large, atMs))?.rule.updatedAtMs ?? 0;
    expect(await store.history(small, { limit: 10 })).toEqual({ entries: [] });
    const page = await store.history(id, { limit: 10 });
    expect(page.entries.map(({ number }) => number)).toEqual([5]);
    expect(page.next).toBe(5);
    expect((await store.history(id, { limit: 10, before: 4 })).entries).toHaveLength(1);
    expect((await store.history(id, { limit: 10, before: 3 })).entries).toEqual([]);
  });
}
