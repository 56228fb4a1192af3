import { maxAttributeNameLength } from "@product-search/core/domain/attributes.ts";
import type { RuleTable } from "@product-search/core/domain/merchandising/rule-table.ts";
import { escapeName } from "@product-search/core/domain/name-list.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { AuditDetails } from "@product-search/core/ports/accounts.ts";
import {
  namedProducts,
  type RuleDefinition,
  type RuleStore,
  type RuleTotals,
  type StoredRule,
} from "@product-search/core/ports/merchandising.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type {
  PreviewRuleRequest,
  Product,
  ReplaceRuleRequest,
  Rule,
  RuleHistoryEntry,
} from "@product-search/types";

/** Entries of the audit log are never deleted. */
const maxDetailBytes = 8000;

export interface RulesDeps {
  ruleStore: Pick<RuleStore, "read" | "history">;
}

export async function listRules({ ruleStore }: RulesDeps): Promise<Rule[]> {
  return (await ruleStore.read()).rules.map(toRule);
}

export async function createRule(
  { transact }: { transact: Transact<StoredRule> },
  request: RuleDefinition,
): Promise<Rule> {
  assertRule(request);
  const definition = withoutUnusedMatch(request);
  const rule = await transact(async ({ ruleStore, audit }) => {
    const created = await ruleStore.create(definition);
    // Thrown inside the transaction: nothing was stored then.
    assertTotals(await ruleStore.totals());
    await audit.record("rule.created", created.id, changesOfRule(undefined, definition));
    return created;
  });
  return toRule(rule);
}

export async function replaceRule(
  { transact }: { transact: Transact<StoredRule> },
  id: string,
  { updatedAt, ...request }: ReplaceRuleRequest,
): Promise<Rule> {
  assertRule(request);
  const definition = withoutUnusedMatch(request);
  const rule = await transact(async ({ ruleStore, audit }) => {
    const stored = await ruleStore.replace(id, definition, Date.parse(updatedAt));
    if (stored === undefined) throw ruleNotFound(id);
    if (!stored.isReplaced)
      throw new ApiError(
        "rule_changed",
        `updatedAt: the rule was changed at ${new Date(stored.rule.updatedAtMs).toISOString()}. Read it again and repeat your change.`,
      );
    assertTotals(await ruleStore.totals());
    await audit.record("rule.replaced", id, changesOfRule(stored.former.definition, definition));
    return stored.rule;
  });
  return toRule(rule);
}

export async function deleteRule({ transact }: { transact: Transact<void> }, id: string): Promise<void> {
  await transact(async ({ ruleStore, audit }) => {
    const removed = await ruleStore.remove(id);
    if (removed === undefined) throw ruleNotFound(id);
    await audit.record("rule.deleted", id, { name: removed.definition.name });
  });
}

export async function orderRules(
  { transact }: { transact: Transact<StoredRule[]> },
  { ids }: { ids: readonly string[] },
): Promise<Rule[]> {
  const rules = await transact(async ({ ruleStore, audit }) => {
    const { rules: former } = await ruleStore.read();
    await ruleStore.order(ids);
    const { rules: ordered } = await ruleStore.read(former);
    const unknown = ids.find((id) => !ordered.some((rule) => rule.id === id));
    // Thrown inside the transaction: nothing was ordered then.
    if (unknown !== undefined) throw ruleNotFound(unknown);
    await audit.record("rules.ordered", `${ids.length} rules`, changesOfOrder(former, ordered));
    return ordered;
  });
  return rules.map(toRule);
}

export async function listRuleHistory(
  { ruleStore }: RulesDeps,
  id: string,
  { limit = 20, cursor }: { limit?: number; cursor?: string },
): Promise<{ history: RuleHistoryEntry[]; nextCursor?: string }> {
  const before = cursor === undefined ? undefined : readCursor(cursor);
  const { entries, next } = await ruleStore.history(id, { limit, ...(before !== undefined && { before }) });
  const isUnknown =
    entries.length === 0 &&
    (before === undefined || (await ruleStore.history(id, { limit: 1 })).entries.length === 0);
  if (isUnknown) throw ruleNotFound(id);
  return {
    history: entries.map(({ change, atMs, rule }) => ({
      change,
      at: new Date(atMs).toISOString(),
      rule: toRule(rule),
    })),
    ...(next !== undefined && { nextCursor: Buffer.from(`before ${next}`).toString("base64url") }),
  };
}

function readCursor(cursor: string): number {
  const [, number] = /^before (\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (number !== undefined) return Number(number);
  throw new ApiError(
    "invalid_request",
    "cursor: is not valid. Send the nextCursor of the previous page, or no cursor for the first page.",
  );
}

export interface PreviewRuleDeps {
  ruleStore: Pick<RuleStore, "version" | "read">;
  /** Those that searches apply. */
  rules(): RuleTable;
  /** The first products of a search with these rules. */
  search(query: Omit<PreviewRuleRequest, "rule" | "ruleId">, rules: RuleTable): Promise<Product[]>;
}

/** Searches with the stored rules, and with one more or another one. Nothing is stored. */
export async function previewRule(
  { ruleStore, rules: appliedRules, search }: PreviewRuleDeps,
  { rule, ruleId, brands, categories, ...others }: PreviewRuleRequest,
): Promise<{ before: Product[]; after: Product[] }> {
  assertRule(rule);
  const query = {
    ...others,
    ...(brands && { brands: brands.map(escapeName) }),
    ...(categories && { categories: categories.map(escapeName) }),
  };
  const applied = appliedRules();
  const isNewest = (await ruleStore.version()) === applied.version;
  const table = isNewest ? applied : applied.with((await ruleStore.read(applied.rules)).rules);
  const { rules } = table;
  const place = ruleId === undefined ? rules.length : rules.findIndex(({ id }) => id === ruleId);
  if (place < 0) throw ruleNotFound(ruleId ?? "");
  const { from: _from, until: _until, ...always } = rule;
  const definition: RuleDefinition = { ...always, enabled: true };
  const tried: StoredRule = { id: ruleId ?? "preview", definition, createdAtMs: 0, updatedAtMs: 0 };
  const before = await search(query, table);
  const after = await search(query, table.with(rules.toSpliced(place, 1, tried)));
  return { before, after };
}

/** The default of `match`, which says nothing without a query. */
function withoutUnusedMatch(rule: RuleDefinition): RuleDefinition {
  if (rule.when.query !== undefined) return rule;
  const { match: _, ...when } = rule.when;
  return { ...rule, when };
}

function ruleNotFound(id: string): ApiError {
  return new ApiError(
    "rule_not_found",
    `There is no rule "${id.slice(0, 80)}". List the rules to see those that exist.`,
  );
}

function toRule({ id, definition, createdAtMs, updatedAtMs }: StoredRule): Rule {
  return {
    ...definition,
    enabled: definition.enabled ?? true,
    id,
    createdAt: new Date(createdAtMs).toISOString(),
    updatedAt: new Date(updatedAtMs).toISOString(),
  };
}

type Changes = Readonly<Record<string, unknown>>;

/** What differs between two versions of a rule, for the audit log; what is too long is counted, or only named. */
function changesOfRule(former: RuleDefinition | undefined, next: RuleDefinition): AuditDetails {
  const before: Changes = { ...former };
  const after: Changes = { ...next };
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (member) => JSON.stringify(before[member]) !== JSON.stringify(after[member]),
  );
  const describe = (value: (before: unknown, after: unknown) => unknown) => ({
    changes: JSON.stringify(
      Object.fromEntries(members.map((member) => [member, value(before[member], after[member])])),
    ),
  });
  return firstShort([describe(differences), describe(counts)]) ?? { changes: members.join(",") };
}

/** The rules that have another place now, in their new order. */
function changesOfOrder(former: readonly StoredRule[], ordered: readonly StoredRule[]): AuditDetails {
  const moved = ordered.filter(({ id }, at) => former[at]?.id !== id).map(({ id }) => id);
  return (
    firstShort([{ ids: moved.join(",") }]) ?? { moved: moved.length, first: moved.slice(0, 100).join(",") }
  );
}

function firstShort(details: readonly AuditDetails[]): AuditDetails | undefined {
  return details.find((one) => Buffer.byteLength(JSON.stringify(one)) <= maxDetailBytes);
}

function differences(before: unknown, after: unknown): unknown {
  if (!isList(before, after)) return { from: before, to: after };
  return { removed: missing(before, after), added: missing(after, before) };
}

function counts(before: unknown, after: unknown): unknown {
  if (!isList(before, after)) return typeof after === "string" ? { to: after } : {};
  return { removed: missing(before, after).length, added: missing(after, before).length };
}

function isList(before: unknown, after: unknown): boolean {
  return Array.isArray(before) || Array.isArray(after);
}

function missing(some: unknown, others: unknown): unknown[] {
  const kept = new Set(Array.isArray(others) ? others.map((one) => JSON.stringify(one)) : []);
  return Array.isArray(some) ? some.filter((one) => !kept.has(JSON.stringify(one))) : [];
}

const maxProductsOfRule = 2000;
const maxTotals: RuleTotals = { rules: 1000, productIds: 20_000, bytes: 4 * 1024 * 1024 };

/** Refuses what would make all rules together too large. */
function assertTotals({ rules, productIds, bytes }: RuleTotals): void {
  if (rules > maxTotals.rules)
    limitReached(
      `There are ${maxTotals.rules} rules, which is the maximum. Delete one that you no longer need.`,
    );
  if (productIds > maxTotals.productIds)
    limitReached(
      `pin, hide and boost: with this rule, the rules would name ${productIds} products, and at most ${maxTotals.productIds} are allowed. Name fewer, or delete a rule.`,
    );
  if (bytes > maxTotals.bytes)
    limitReached(
      `rule: with this one, the rules would have ${bytes} bytes, and at most ${maxTotals.bytes} are allowed. Make it shorter, or delete another.`,
    );
}

/** Refuses what the schema of a rule cannot express. */
function assertRule(rule: RuleDefinition): void {
  const { when, pin = [], boost = [], redirectUrl, from, until } = rule;
  const products = namedProducts(rule);
  if (products > maxProductsOfRule)
    limitReached(
      `pin, hide and boost: name ${products} products, and a rule can name at most ${maxProductsOfRule}. Name fewer, or make two rules.`,
    );
  if (when.query !== undefined && !/[\p{L}\p{N}]/u.test(when.query))
    refuse("when.query: has no letter and no digit, so that no search fits it. Write a word.");
  if (when.query === undefined && when.categories === undefined) assertForEverySearch(rule);
  const twice = pin.findIndex(({ productId }, at) =>
    pin.slice(0, at).some((other) => other.productId === productId),
  );
  if (twice >= 0) refuse(`pin[${twice}].productId: is pinned twice. Pin a product to one position.`);
  const empty = boost.findIndex(
    (one) => (one.brands ?? one.categories ?? one.attributes ?? one.productIds) === undefined,
  );
  if (empty >= 0)
    refuse(
      `boost[${empty}]: names no products. Send brands, categories, attributes, productIds or several of them.`,
    );
  boost.forEach(({ attributes = {} }, at) => {
    const wrong = Object.keys(attributes).find(
      (name) => name.trim() === "" || name.length > maxAttributeNameLength,
    );
    if (wrong === undefined) return;
    const fault = wrong.trim() === "" ? "has an empty name" : `has a name of ${wrong.length} characters`;
    refuse(`boost[${at}].attributes: ${fault}. Send names of 1 to ${maxAttributeNameLength} characters.`);
  });
  if (redirectUrl !== undefined && !isPage(redirectUrl))
    refuse("redirectUrl: is not an http or https URL. Write a whole one, such as https://shop.example/sale.");
  const [fromMs, untilMs] = [timeOf("from", from), timeOf("until", until)];
  if (fromMs !== undefined && untilMs !== undefined && fromMs > untilMs)
    refuse("until: is before from. Send a later time, or leave one of them out.");
}

function assertForEverySearch({ when, pin, replaceQuery, redirectUrl }: RuleDefinition): void {
  // `is` is the default.
  if (when.match === "contains") refuse("when.match: needs when.query. Send a query, or leave match out.");
  const action = Object.entries({ pin, replaceQuery, redirectUrl }).find(([, value]) => value !== undefined);
  if (action !== undefined)
    refuse(
      `when: has neither query nor categories, so that the rule acts on every search, but such a rule can only boost and hide. Send one of them, or leave ${action[0]} out.`,
    );
}

function isPage(url: string): boolean {
  return URL.canParse(url) && ["http:", "https:"].includes(new URL(url).protocol);
}

function timeOf(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs))
    refuse(`${field}: is not a time. Write it in ISO 8601, such as 2026-11-27T00:00:00Z.`);
  return timeMs;
}

function limitReached(message: string): never {
  throw new ApiError("rule_limit_reached", message);
}

function refuse(message: string): never {
  throw new ApiError("invalid_request", message);
}
