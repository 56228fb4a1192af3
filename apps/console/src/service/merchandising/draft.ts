import type { Client, Rule, RuleRequest } from "@product-search/client";
import { type Change, type RuleChange, type SynonymChange, withChange } from "./changes.ts";
import { definitionOf } from "./rule-draft.ts";

type Writer = Pick<
  Client,
  "listRules" | "createRule" | "replaceRule" | "deleteRule" | "orderRules" | "addSynonym" | "deleteSynonym"
>;

/**
 * Stores the changes one after the other, and returns those that take them back. If one is refused, the others are taken
 * back first.
 */
export async function publish(client: Writer, changes: readonly Change[]): Promise<Change[]> {
  const former = (await client.listRules()).rules.map(({ id }) => id);
  const inverse: Change[] = [];
  const created = new Map<string, string>();
  try {
    for (const change of changes)
      if (change.kind !== "order") inverse.unshift(await store(client, change, created));
    const order = changes.find((change) => change.kind === "order");
    if (order) await storeOrder(client, order.ids, created);
  } catch (failure) {
    await takeBack(client, inverse, former);
    throw failure;
  }
  const isOrdered =
    inverse.some((change) => change.kind === "rule" && !change.before) || changes.some(isOrder);
  return isOrdered ? [...inverse, { kind: "order", ids: former }] : inverse;
}

function isOrder(change: Change): boolean {
  return change.kind === "order";
}

async function store(
  client: Writer,
  change: RuleChange | SynonymChange,
  created: Map<string, string>,
): Promise<Change> {
  if (change.kind === "synonym") {
    const { rule, isRemoved } = change;
    if (isRemoved) await client.deleteSynonym({ rule });
    else await client.addSynonym({ rule });
    return { kind: "synonym", rule, ...(!isRemoved && { isRemoved: true }) };
  }
  const { id, before, after } = change;
  if (!after) {
    await client.deleteRule(id);
    return { kind: "rule", id, ...(before && { after: definitionOf(before) }) };
  }
  if (!before) {
    const { rule } = await client.createRule(after);
    created.set(id, rule.id);
    return { kind: "rule", id: rule.id, before: rule };
  }
  const { rule } = await client.replaceRule(id, { ...after, updatedAt: before.updatedAt });
  return { kind: "rule", id, before: rule, after: definitionOf(before) };
}

async function storeOrder(
  client: Writer,
  ids: readonly string[],
  created: ReadonlyMap<string, string>,
): Promise<void> {
  const stored = (await client.listRules()).rules.map(({ id }) => id);
  const named = ids.map((id) => created.get(id) ?? id).filter((id) => stored.includes(id));
  await client.orderRules({ ids: [...named, ...stored.filter((id) => !named.includes(id))] });
}

/** As far as it goes: what was refused once is reported, not what follows from it. */
async function takeBack(
  client: Writer,
  inverse: readonly Change[],
  former: readonly string[],
): Promise<void> {
  const created = new Map<string, string>();
  for (const change of inverse)
    if (change.kind !== "order") await store(client, change, created).catch(() => {});
  if (created.size > 0) await storeOrder(client, former, created).catch(() => {});
}

/** All rules and the changed synonyms of a shop, to bring them into another installation. */
export interface RulesFile {
  format: "product-search-rules";
  rules: readonly (RuleRequest & { id?: string })[];
  synonyms: { added: readonly string[]; removed: readonly string[] };
}

export async function exportRules(client: Pick<Client, "listRules" | "listSynonyms">): Promise<string> {
  const [{ rules }, { synonyms }] = await Promise.all([client.listRules(), client.listSynonyms({})]);
  const of = (origin: string) => synonyms.filter((one) => one.origin === origin).map(({ rule }) => rule);
  const file: RulesFile = {
    format: "product-search-rules",
    rules: rules.map((rule) => ({ id: rule.id, ...definitionOf(rule) })),
    synonyms: { added: of("added"), removed: of("removed") },
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** Only what has the shape of an export: the service checks each rule when it is published. */
export function readRulesFile(text: string): RulesFile {
  const isText = (value: unknown) => typeof value === "string";
  const isRule = (rule: RulesFile["rules"][number] | null) =>
    typeof rule === "object" && isText(rule?.name) && typeof rule?.when === "object" && rule.when !== null;
  let file: RulesFile | null | undefined;
  try {
    file = JSON.parse(text);
  } catch {}
  const isFile =
    file?.format === "product-search-rules" &&
    Array.isArray(file.rules) &&
    file.rules.every(isRule) &&
    [file.synonyms?.added, file.synonyms?.removed].every((list) => Array.isArray(list) && list.every(isText));
  if (!file || !isFile) throw new Error("This is not a file that was exported here. Choose another one.");
  return file;
}

interface Stored {
  rules: readonly Rule[];
  synonyms: readonly { rule: string; origin: string }[];
}

/** What makes the stored rules those of the file. Rules are the same by identifier, or else by name. */
export function changesOfFile(file: RulesFile, stored: Stored, isWhole: boolean): Change[] {
  const left = [...stored.rules];
  const take = (match: (rule: Rule) => boolean) => {
    const index = left.findIndex(match);
    return index < 0 ? undefined : left.splice(index, 1)[0];
  };
  const partners = new Map(file.rules.map((rule) => [rule, take(({ id }) => id === rule.id)]));
  for (const rule of file.rules)
    if (!partners.get(rule))
      partners.set(
        rule,
        take(({ name }) => name === rule.name),
      );
  let changes: Change[] = [];
  const ids = file.rules.map((rule, index) => {
    const { id: _id, ...after } = rule;
    const before = partners.get(rule);
    const id = before?.id ?? `new ${index} ${rule.name}`;
    changes = withChange(changes, { kind: "rule", id, after, ...(before && { before }) });
    return id;
  });
  if (isWhole) for (const before of left) changes.push({ kind: "rule", id: before.id, before });
  const after = isWhole ? ids : [...ids, ...left.map(({ id }) => id)];
  if (
    after.join() !==
    stored.rules
      .filter(({ id }) => after.includes(id))
      .map(({ id }) => id)
      .join()
  )
    changes.push({ kind: "order", ids });
  return [...changes, ...synonymChanges(file.synonyms, stored.synonyms, isWhole)];
}

function synonymChanges(
  { added, removed }: RulesFile["synonyms"],
  stored: Stored["synonyms"],
  isWhole: boolean,
): Change[] {
  const origins = new Map(stored.map(({ rule, origin }) => [rule, origin]));
  const isActive = (rule: string) => ["added", "included"].includes(origins.get(rule) ?? "");
  const extra = stored.filter(({ rule, origin }) => origin === "added" && !added.includes(rule));
  return [
    ...added.filter((rule) => !isActive(rule)).map((rule) => ({ kind: "synonym", rule }) as const),
    ...[...removed.filter(isActive), ...(isWhole ? extra.map(({ rule }) => rule) : [])].map(
      (rule) => ({ kind: "synonym", rule, isRemoved: true }) as const,
    ),
  ];
}
