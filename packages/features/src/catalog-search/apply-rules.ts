import type { RuleTable } from "@product-search/core/domain/merchandising/rule-table.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { namedProducts, type StoredRule } from "@product-search/core/ports/rule-store.ts";
import type { RuleBoost, RulePin, SearchRules, SortKey } from "@product-search/core/ports/text-search.ts";
import type { CatalogSearchResponse } from "@product-search/types";
import { type NamedRows, type NamedRowsStore, namedRowsOf } from "./named-rows.ts";

export interface ApplyRulesDeps {
  catalogStore: NamedRowsStore;
  /** The newest rules. */
  rules(): RuleTable;
  clock: Clock;
}

/** Of the boosts that act on a search, the first ones count: each is a pass over what the search finds. */
const maxBoosts = 100;

export interface AppliedRules {
  /** The text to search for. */
  text: string;
  rules?: SearchRules;
  shown: Pick<CatalogSearchResponse, "appliedRules" | "redirectUrl">;
}

interface Search {
  text: string;
  categories: readonly string[];
  sort: SortKey;
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
  const resolved = await resolveRules(catalogStore, applied);
  const hide = resolved.flatMap((rule) => rule.hide);
  const textRules: ResolvedRule = {
    hide,
    pin: choosePins(
      resolved.flatMap((rule) => rule.pin),
      hide,
    ),
    boosts: isByRelevance ? resolved.flatMap((rule) => rule.boosts).slice(0, maxBoosts) : [],
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

function changesResult({ hide, pin, boosts }: ResolvedRule): boolean {
  return hide.length + pin.length + boosts.length > 0;
}

/** What a rule does with rows. */
interface ResolvedRule {
  hide: readonly number[];
  pin: readonly RulePin[];
  boosts: readonly RuleBoost[];
}

const resolvedRules = new WeakMap<StoredRule, { revision: number; resolved: ResolvedRule }>();

/** Products, which rules name by `_id` or key, are looked up again when a name means another row. */
async function resolveRules(
  catalogStore: ApplyRulesDeps["catalogStore"],
  rules: readonly StoredRule[],
): Promise<ResolvedRule[]> {
  const namedRows = namedRowsOf(catalogStore);
  if (rules.some(({ definition }) => namedProducts(definition) > 0)) await namedRows.rowsOf([]);
  const all: ResolvedRule[] = [];
  for (const rule of rules) {
    const known = resolvedRules.get(rule);
    const { revision } = namedRows;
    const resolved = known?.revision === revision ? known.resolved : await resolve(namedRows, rule);
    resolvedRules.set(rule, { revision, resolved });
    all.push(resolved);
  }
  return all;
}

async function resolve(
  namedRows: NamedRows,
  { definition: { hide = [], pin = [], boost = [] } }: StoredRule,
): Promise<ResolvedRule> {
  const pinned = pin.map(({ productId }) => productId);
  const named = [...hide, ...pinned, ...boost.flatMap(({ productIds = [] }) => productIds)];
  const rowOf = await namedRows.rowsOf([...new Set(named)]);
  const rowsFor = (ids: readonly string[]) => ids.flatMap((id) => rowOf.get(id) ?? []);
  return {
    hide: rowsFor(hide),
    pin: pin.flatMap(({ productId, position }) => {
      const rowId = rowOf.get(productId);
      return rowId === undefined ? [] : [{ rowId, position: position - 1 }];
    }),
    boosts: boost.map(({ brands, categories, attributes, productIds, factor }) => ({
      filters: {
        brands,
        categories,
        attributes: attributes && Object.entries(attributes).map(([name, values]) => ({ name, values })),
      },
      rowIds: productIds && rowsFor(productIds),
      factor,
    })),
  };
}

/** Of two pins of one product or on one position, the first one counts. A hidden product is not pinned. */
function choosePins(pins: readonly RulePin[], hidden: readonly number[]): RulePin[] {
  const positions = new Set<number>();
  const rows = new Set(hidden);
  return pins.filter(({ rowId, position }) => {
    if (rows.has(rowId) || positions.has(position)) return false;
    positions.add(position);
    rows.add(rowId);
    return true;
  });
}
