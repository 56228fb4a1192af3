import type { RuleTable } from "@product-search/core/domain/merchandising/rule-table.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import type { StoredRule } from "@product-search/core/ports/rule-store.ts";
import type { TextRules, TextSort } from "@product-search/core/ports/text-search.ts";
import type { CatalogSearchResponse } from "@product-search/types";

export interface ApplyRulesDeps {
  catalogStore: Pick<CatalogStore, "findByIds">;
  /** The newest rules. */
  rules(): RuleTable;
  clock: Clock;
}

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
  const pin = ranking.flatMap((rule) => rule.pin ?? []);
  const boosts = ranking.flatMap((rule) => rule.boost ?? []);
  const rowOf = await rowsOf(catalogStore, [
    ...hide,
    ...pin.map(({ productId }) => productId),
    ...boosts.flatMap(({ productIds }) => productIds ?? []),
  ]);
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

/** Hiding and another text act under every sort, all else on a search by relevance. */
function acts({ definition }: StoredRule, isByRelevance: boolean): boolean {
  const { hide, replaceQuery, pin, boost, redirectUrl } = definition;
  return (
    hide !== undefined ||
    replaceQuery !== undefined ||
    (isByRelevance && (pin ?? boost ?? redirectUrl) !== undefined)
  );
}

function changesResult({ hide, pin, boosts }: TextRules): boolean {
  return hide.length + pin.length + boosts.length > 0;
}

async function rowsOf(
  catalogStore: ApplyRulesDeps["catalogStore"],
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map();
  const products = await catalogStore.findByIds([...new Set(ids)]);
  return new Map(products.map(({ id, rowId }) => [id, rowId]));
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
