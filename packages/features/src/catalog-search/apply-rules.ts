import type { RuleTable } from "@product-search/core/domain/merchandising/rule-table.ts";
import { letOthersCome } from "@product-search/core/mechanisms/fair-queue.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { namedProducts, type StoredRule } from "@product-search/core/ports/rule-store.ts";
import type { TextRules, TextSort } from "@product-search/core/ports/text-search.ts";
import type { CatalogSearchResponse } from "@product-search/types";
import { findProductRows } from "../product-rows.ts";

export interface ApplyRulesDeps {
  catalogStore: Pick<CatalogStore, "rowIdsOf" | "lastSequence">;
  /** The newest rules. */
  rules(): RuleTable;
  clock: Clock;
}

/** Of the boosts that act on a search, the first ones count: each is a pass over what the search finds. */
const maxBoosts = 100;
/** Reading so many takes about 3 ms; then other work has its turn. */
const idsAtOnce = 1000;

export interface AppliedRules {
  /** The text to search for. */
  text: string;
  rules?: TextRules;
  shown: Pick<CatalogSearchResponse, "appliedRules" | "redirectUrl">;
}

interface Search {
  text: string;
  categories: readonly string[];
  sort: TextSort;
}

/** What the rules of a search change in it. Most searches have none. */
export async function applyRules(
  { catalogStore, rules, clock }: ApplyRulesDeps,
  { text, categories, sort }: Search,
): Promise<AppliedRules> {
  const isByRelevance = sort === "relevance";
  const applied = rules()
    .find({ text, categories }, clock.now())
    .filter((rule) => acts(rule, isByRelevance));
  if (applied.length === 0) return { text, shown: {} };
  const definitions = applied.map(({ definition }) => definition);
  const ranking = isByRelevance ? definitions : [];
  const hide = definitions.flatMap((rule) => rule.hide ?? []);
  const pin = definitions.flatMap((rule) => rule.pin ?? []);
  const boosts = ranking.flatMap((rule) => rule.boost ?? []).slice(0, maxBoosts);
  const rowOf = await rowsOf(
    catalogStore,
    isByRelevance ? applied : applied.filter(({ definition }) => definition.hide ?? definition.pin),
  );
  const rowsFor = (ids: readonly string[]) => ids.flatMap((id) => rowOf.get(id) ?? []);
  const hidden = rowsFor(hide);
  const textRules: TextRules = {
    hide: hidden,
    pin: choosePins(pin, (id) => rowOf.get(id), hidden),
    boosts: boosts.map(({ brands, categories: names, attributes, productIds, factor }) => ({
      ...(brands !== undefined && { brands }),
      ...(names !== undefined && { categories: names }),
      ...(attributes !== undefined && {
        attributes: Object.entries(attributes).map(([name, values]) => ({ name, values })),
      }),
      ...(productIds !== undefined && { rowIds: rowsFor(productIds) }),
      factor,
    })),
  };
  const redirectUrl = ranking.find((rule) => rule.redirectUrl !== undefined)?.redirectUrl;
  return {
    text: definitions.find((rule) => rule.replaceQuery !== undefined)?.replaceQuery ?? text,
    ...(changesResult(textRules) && { rules: textRules }),
    shown: {
      appliedRules: applied.map(({ id }) => id),
      ...(redirectUrl !== undefined && { redirectUrl }),
    },
  };
}

/** What changes which products are found acts under every sort, all else on a search by relevance. */
function acts({ definition }: StoredRule, isByRelevance: boolean): boolean {
  const { hide, replaceQuery, pin, boost, redirectUrl } = definition;
  return (
    hide !== undefined ||
    replaceQuery !== undefined ||
    pin !== undefined ||
    (isByRelevance && (boost ?? redirectUrl) !== undefined)
  );
}

function changesResult({ hide, pin, boosts }: TextRules): boolean {
  return hide.length + pin.length + boosts.length > 0;
}

interface KnownRows {
  readonly sequence: number;
  readonly rows: ReadonlyMap<string, number>;
}

const knownRows = new WeakMap<StoredRule, KnownRows>();

/** The rows of the products that the rules name by `_id` or key. They are looked up again after a change of the catalog. */
async function rowsOf(
  catalogStore: ApplyRulesDeps["catalogStore"],
  rules: readonly StoredRule[],
): Promise<ReadonlyMap<string, number>> {
  const naming = rules.filter(({ definition }) => namedProducts(definition) > 0);
  if (naming.length === 0) return new Map();
  const sequence = await catalogStore.lastSequence();
  const rowOf = new Map<string, number>();
  for (const rule of naming) {
    const known = knownRows.get(rule);
    const rows = known?.sequence === sequence ? known.rows : await findRows(catalogStore, idsOf(rule));
    knownRows.set(rule, { sequence, rows });
    for (const [id, rowId] of rows) rowOf.set(id, rowId);
  }
  return rowOf;
}

function idsOf({ definition: { hide = [], pin = [], boost = [] } }: StoredRule): string[] {
  const pinned = pin.map(({ productId }) => productId);
  return [...new Set([...hide, ...pinned, ...boost.flatMap(({ productIds = [] }) => productIds)])];
}

async function findRows(
  catalogStore: ApplyRulesDeps["catalogStore"],
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = new Map<string, number>();
  for (let at = 0; at < ids.length; at += idsAtOnce) {
    if (at > 0) await letOthersCome();
    const found = await findProductRows(catalogStore, ids.slice(at, at + idsAtOnce));
    for (const [id, { rowId }] of found) rows.set(id, rowId);
  }
  return rows;
}

/** Of two pins of one product or on one position, the first one counts. A hidden product is not pinned. */
function choosePins(
  pins: readonly { productId: string; position: number }[],
  rowOf: (id: string) => number | undefined,
  hidden: readonly number[],
): TextRules["pin"] {
  const chosen = new Map<number, number>();
  const taken = new Set(hidden);
  for (const { productId, position } of pins) {
    const rowId = rowOf(productId);
    if (rowId === undefined || taken.has(rowId) || chosen.has(position)) continue;
    chosen.set(position, rowId);
    taken.add(rowId);
  }
  return [...chosen].map(([position, rowId]) => ({ rowId, position: position - 1 }));
}
