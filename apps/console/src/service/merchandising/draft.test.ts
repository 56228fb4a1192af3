import type { Rule, RuleRequest } from "@product-search/client";
import { expect, it } from "vitest";
import { type Change, withChange } from "./changes.ts";
import { changesOfFile, exportRules, publish, readRulesFile } from "./draft.ts";

const request = (name: string, more: Partial<RuleRequest> = {}): RuleRequest => ({
  name,
  enabled: true,
  when: { query: name },
  ...more,
});

/** The rules and synonyms of a service; it refuses a rule that is named "refused". */
function createShop(...names: string[]) {
  let count = 0;
  const prefix = names.join();
  const stored = (rule: RuleRequest): Rule => {
    count += 1;
    return { enabled: true, ...rule, id: `${prefix} ${count}`, createdAt: "then", updatedAt: `${count}` };
  };
  let rules = names.map((name) => stored(request(name)));
  const synonyms = new Set<string>();
  const check = ({ name }: RuleRequest) => {
    if (name === "refused") throw new Error("No.");
  };
  const at = (id: string) => rules.findIndex((rule) => rule.id === id);
  const client = {
    listRules: async () => ({ status: "success" as const, rules }),
    listSynonyms: async () => ({
      status: "success" as const,
      synonyms: [...synonyms].map((rule) => ({ rule, origin: "added" as const })),
    }),
    async createRule(rule: RuleRequest) {
      check(rule);
      rules = [...rules, stored(rule)];
      return { status: "success" as const, rule: rules.at(-1) as Rule };
    },
    async replaceRule(id: string, { updatedAt, ...rule }: RuleRequest & { updatedAt: string }) {
      check(rule);
      if (rules[at(id)]?.updatedAt !== updatedAt) throw new Error("rule_changed");
      rules = rules.with(at(id), { ...stored(rule), id });
      return { status: "success" as const, rule: rules[at(id)] as Rule };
    },
    async deleteRule(id: string) {
      rules = rules.toSpliced(at(id), 1);
      return { status: "success" as const };
    },
    async orderRules({ ids }: { ids: readonly string[] }) {
      rules = ids.map((id) => rules[at(id)] as Rule);
      return { status: "success" as const, rules };
    },
    async addSynonym({ rule }: { rule: string }) {
      synonyms.add(rule);
      return { status: "success" as const, synonym: { rule, origin: "added" as const } };
    },
    async deleteSynonym({ rule }: { rule: string }) {
      synonyms.delete(rule);
      return { status: "success" as const, synonym: { rule, origin: "removed" as const } };
    },
  };
  const look = () => [...rules.map(({ name, hide = [] }) => [name, ...hide].join(" ")), ...synonyms];
  return { client, look, rules: () => rules };
}

function someChanges(rules: readonly Rule[]): Change[] {
  const [first, second] = rules;
  if (!first || !second) throw new Error("The shop has too few rules.");
  return [
    { kind: "rule", id: first.id, before: first, after: request("one", { hide: ["p"] }) },
    { kind: "rule", id: "new 1", after: request("four") },
    { kind: "rule", id: second.id, before: second },
    { kind: "synonym", rule: "couch, sofa" },
  ];
}

it("publishes all changes, and takes all of them back, each rule at its place", async () => {
  const { client, look, rules } = createShop("one", "two", "three");
  const inverse = await publish(client, someChanges(rules()));
  expect(look()).toEqual(["one p", "three", "four", "couch, sofa"]);
  await publish(client, inverse);
  expect(look()).toEqual(["one", "two", "three"]);
});

it("leaves nothing behind where one change is refused", async () => {
  const { client, look, rules } = createShop("one", "two", "three");
  const changes: Change[] = [
    ...someChanges(rules()),
    { kind: "rule", id: "new 2", after: request("refused") },
  ];
  await expect(publish(client, changes)).rejects.toThrow("No.");
  expect(look()).toEqual(["one", "two", "three"]);
});

it("has one change of each rule, and none that changes nothing", () => {
  const [before] = createShop("one").rules();
  if (!before) throw new Error("The shop has no rule.");
  const change = (after: RuleRequest): Change => ({ kind: "rule", id: before.id, before, after });
  const changes = withChange([], change(request("one", { hide: ["p"] })));
  expect(withChange(changes, change(request("one", { hide: ["q"] })))).toHaveLength(1);
  expect(withChange(changes, change({ when: { query: "one" }, enabled: true, name: "one" }))).toEqual([]);
});

it("takes all rules from one shop to another, whose identifiers are others, and what they replace with them", async () => {
  const staging = createShop("x", "one", "two", "three");
  await staging.client.deleteRule(staging.rules()[0]?.id ?? "");
  await staging.client.addSynonym({ rule: "couch, sofa" });
  const production = createShop("three", "own", "two");
  const file = readRulesFile(await exportRules(staging.client));
  const changes = async (isWhole: boolean) => {
    const { rules } = await production.client.listRules();
    return changesOfFile(file, { rules, ...(await production.client.listSynonyms()) }, isWhole);
  };
  const inverse = await publish(production.client, await changes(false));
  expect(production.look()).toEqual(["one", "two", "three", "own", "couch, sofa"]);
  await publish(production.client, inverse);
  expect(production.look()).toEqual(["three", "own", "two"]);
  await publish(production.client, await changes(true));
  expect(production.look()).toEqual(["one", "two", "three", "couch, sofa"]);
  expect(await changes(true)).toEqual([]);
});

it.each([
  "",
  "null",
  "[]",
  '{"format": "product-search-rules", "rules": [null]}',
  '{"format": "product-search-rules", "rules": []}',
])("refuses %j as a file of rules", (text) => {
  expect(() => readRulesFile(text)).toThrow("not a file that was exported here");
});
