import { AsyncLocalStorage } from "node:async_hooks";
import { namedIds } from "@product-search/core/domain/identity.ts";
import type { RuleTable } from "@product-search/core/domain/merchandising/rule-table.ts";
import { letOthersCome } from "@product-search/core/mechanisms/fair-queue.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";
import { namedProducts, type StoredRule } from "@product-search/core/ports/merchandising.ts";
import type { RuleBoost, RulePin, SearchRules, SortKey } from "@product-search/core/ports/text-search.ts";
import type { CatalogSearchResponse } from "@product-search/types";

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

export type NamedRowsStore = Pick<
  CatalogStore,
  "rowIdsOf" | "lastSequence" | "changesAfter" | "findByRowIds"
>;

/** After more changes than these, all names are looked up again. */
const maxChanges = 1000;
/** Reading so many takes about 3 ms; then other work has its turn. */
const namesAtOnce = 1000;
const productsAtOnce = 100;
/** Twice as many as all rules may name. With more, those of former rules are among them. */
const maxNames = 40_000;

/** The work is for all searches: it waits for no caller's turn, and sees what the filter of a token hides. */
const outside = AsyncLocalStorage.snapshot();

const stores = new WeakMap<NamedRowsStore, NamedRows>();

function namedRowsOf(store: NamedRowsStore): NamedRows {
  const rows = stores.get(store) ?? new NamedRows(store);
  stores.set(store, rows);
  return rows;
}

/**
 * The rows of products that rules name, by `_id` or key. After a write, only the names are looked up again that it may concern:
 * no search pays for what others have written.
 */
export class NamedRows {
  readonly #store: NamedRowsStore;
  readonly #rows = new Map<string, ProductRow | undefined>();
  readonly #namesOf = new Map<number, Set<string>>();
  #sequence = -1;
  #updating: Promise<unknown> = Promise.resolve();
  /** Grows when a name means another row than before. */
  revision = 0;

  constructor(store: NamedRowsStore) {
    this.#store = store;
  }

  /** Follows the catalog. Absent products have no entry. */
  async rowsOf(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const updating = this.#updating.then(() => outside(() => this.#update(names)));
    this.#updating = updating.catch(() => {});
    await updating;
    return new Map(
      names.flatMap((name): [string, number][] => {
        const row = this.#rows.get(name);
        return row === undefined ? [] : [[name, row.rowId]];
      }),
    );
  }

  async #update(names: readonly string[]): Promise<void> {
    const newest = await this.#store.lastSequence();
    if (newest !== this.#sequence) await this.#follow(newest);
    if (this.#rows.size > maxNames) this.#forget();
    await this.#look(names.filter((name) => !this.#rows.has(name)));
  }

  async #follow(newest: number): Promise<void> {
    const isLater = this.#sequence >= 0 && newest > this.#sequence;
    const changes = isLater ? await this.#store.changesAfter(this.#sequence, maxChanges) : [];
    if (changes.length === 0 || changes.length === maxChanges) this.#forget();
    else {
      await this.#look(await this.#namesToLookUp(changes.map(({ rowId }) => rowId)));
    }
    this.#sequence = Math.max(newest, changes.at(-1)?.sequence ?? newest);
  }

  #forget(): void {
    this.#rows.clear();
    this.#namesOf.clear();
    this.revision += 1;
  }

  /** Those of products that are gone, and of products that may be new under a name. */
  async #namesToLookUp(rowIds: readonly number[]): Promise<string[]> {
    if (this.#rows.size === 0) return [];
    const doubtful = new Set<string>();
    for (let at = 0; at < rowIds.length; at += productsAtOnce) {
      if (at > 0) await letOthersCome();
      const slice = rowIds.slice(at, at + productsAtOnce);
      const products = await this.#store.findByRowIds(slice);
      const byRow = new Map(products.map((product) => [product.rowId, product]));
      for (const rowId of slice) {
        const product = byRow.get(rowId);
        const names = product === undefined ? [] : [product.id, product.key];
        for (const name of [...names, ...(this.#namesOf.get(rowId) ?? [])]) {
          const known = this.#rows.get(name);
          if (known?.id !== product?.id || known?.rowId !== rowId) doubtful.add(name);
        }
      }
    }
    return [...doubtful].filter((name) => this.#rows.has(name));
  }

  async #look(names: readonly string[]): Promise<void> {
    for (let at = 0; at < names.length; at += namesAtOnce) {
      if (at > 0) await letOthersCome();
      const slice = names.slice(at, at + namesAtOnce);
      const found = await findProductRows(this.#store, slice);
      for (const name of slice) this.#note(name, found.get(name));
    }
  }

  #note(name: string, row: ProductRow | undefined): void {
    const former = this.#rows.get(name);
    if (this.#rows.has(name) && former?.rowId !== row?.rowId) this.revision += 1;
    if (former !== undefined) this.#namesOf.get(former.rowId)?.delete(name);
    this.#rows.set(name, row);
    if (row === undefined) return;
    const names = this.#namesOf.get(row.rowId) ?? new Set();
    this.#namesOf.set(row.rowId, names.add(name));
  }
}

interface ProductRow {
  /** The `_id`. */
  id: string;
  rowId: number;
}

/** The products that these texts mean: by `_id`, else by key. Absent ones are left out. */
export async function findProductRows(
  catalogStore: Pick<CatalogStore, "rowIdsOf">,
  idsOrKeys: readonly string[],
): Promise<Map<string, ProductRow>> {
  const found = new Map<string, ProductRow>();
  for (const [id, rowId] of await catalogStore.rowIdsOf(idsOrKeys)) found.set(id, { id, rowId });
  const keys = idsOrKeys.filter((id) => !found.has(id)).map((key) => ({ key, ids: namedIds(key) }));
  if (keys.length === 0) return found;
  const rows = await catalogStore.rowIdsOf(keys.flatMap(({ ids }) => ids));
  for (const { key, ids } of keys) {
    const id = ids.find((one) => rows.has(one));
    const rowId = id === undefined ? undefined : rows.get(id);
    if (id !== undefined && rowId !== undefined) found.set(key, { id, rowId });
  }
  return found;
}
