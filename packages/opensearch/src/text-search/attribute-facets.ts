import {
  type AttributeFacet,
  attributeKey,
  attributePrefix,
  beginsWord,
  byDocuments,
  compareCodePoints,
  type FacetRequest,
  type FacetValue,
  type FilterKey,
  joinValues,
  type NumberRange,
  nameKey,
} from "@product-search/text-index";
import { membersField } from "../cluster/write-entries.ts";
import { allOf, type Clause } from "./compile-query.ts";

// Attributes are counted by two requests: which attributes the matches have, and then the values of the chosen ones. The values of
// all attributes in one list would be too many to be exact.

/** The buckets of aggregations by their names. */
export type Buckets = (aggregation: string) => ReadonlyArray<{ key: string | number; doc_count: number }>;

/** Every shard reports this many values, so that the counts are exact for catalogs with no more. */
export const valuesPerShard = 20_000;

/** A response of OpenSearch has at most 65,535 buckets, so the lists of a search share them: the ends of long lists are cut. */
export function sharedSize(buckets: number, lists: number, most = valuesPerShard): number {
  return Math.max(1, Math.min(most, Math.floor(buckets / lists)));
}

/** OpenSearch refuses names of aggregations with brackets or `>`. */
function aggregationName(text: string): string {
  return text.replace(/[[\]>%]/g, (sign) => `%${sign.charCodeAt(0)}`);
}

/** All products; those without a group; or members of groups, each group once. */
export type Counted = "products" | "alone" | "members";

export interface TermsCount {
  readonly field: string;
  readonly size: number;
  readonly shard_size: number;
  readonly include?: string;
}

/** Counts the values of a field over what passes the filters. `shownAs`: the field with the name of a key, of which the first is read. */
export function countTerms(
  counted: Counted,
  filters: readonly Clause[],
  count: TermsCount,
  shownAs?: string,
): object {
  const isOfMembers = counted === "members";
  const fieldOf = (field: string) => (isOfMembers ? memberField(field) : field);
  const aggs = {
    ...(isOfMembers && { groups: { reverse_nested: {} } }),
    ...(shownAs && { shown: { terms: { field: fieldOf(shownAs), size: 1, order: { _key: "asc" } } } }),
  };
  const values = { terms: { ...count, field: fieldOf(count.field) }, aggs };
  return filters.length === 0 ? values : { filter: allOf(filters), aggs: { values } };
}

/** Counts what passes the filters and has this. */
export function countClause(counted: Counted, filters: readonly Clause[], clause: Clause): object {
  return counted === "members"
    ? { filter: allOf([...filters, asMember(clause)]), aggs: { groups: { reverse_nested: {} } } }
    : { filter: allOf([...filters, clause]) };
}

const maxNames = 1_000;
const nameBuckets = 16_000;
const valueBuckets = 60_000;

/** Of what passes all filters, or those without the one with the key. */
function namesAggregation(without?: FilterKey): string {
  return aggregationName(without === undefined ? "attribute names" : `attribute names without ${without}`);
}

export function clausesWithout(own: ReadonlyMap<FilterKey, Clause>, key: FilterKey | undefined): Clause[] {
  return [...own].filter(([other]) => other !== key).map(([, clause]) => clause);
}

/** The attributes of the matches; those with a filter of their own also without it. */
export function nameAggregations(
  own: ReadonlyMap<FilterKey, Clause>,
  counted: Counted,
): Record<string, object> {
  const keys = [undefined, ...[...own.keys()].filter((key) => key.startsWith("attribute "))];
  const size = sharedSize(nameBuckets, keys.length, maxNames);
  return Object.fromEntries(
    keys.map((key) => [
      namesAggregation(key),
      countTerms(counted, clausesWithout(own, key), { field: "attributeNames", size, shard_size: maxNames }),
    ]),
  );
}

interface ChosenAttribute {
  readonly key: FilterKey;
  /** The first of its spellings. */
  readonly name: string;
  readonly spellings: readonly string[];
}

/** The requested attributes and those that most matches have. */
export function chooseAttributes(
  { frequent, names }: NonNullable<FacetRequest["attributes"]>,
  own: ReadonlyMap<FilterKey, Clause>,
  buckets: Buckets,
  isFacet: (key: string) => boolean,
): ChosenAttribute[] {
  const known = new Map<FilterKey, { spellings: string[]; documents: number }>();
  const add = (from: string, isNeeded: (key: FilterKey) => boolean) => {
    for (const { key: bucket, doc_count } of buckets(from)) {
      const key = attributeKey(String(bucket));
      if (!isNeeded(key) || !isFacet(nameKey(String(bucket)))) continue;
      const { spellings, documents } = known.get(key) ?? { spellings: [], documents: 0 };
      known.set(key, { spellings: [...spellings, String(bucket)].sort(), documents: documents + doc_count });
    }
  };
  add(namesAggregation(), (key) => !own.has(key));
  for (const key of own.keys())
    if (key.startsWith("attribute ")) add(namesAggregation(key), (one) => one === key);
  const ranked = [...known].sort(
    ([, a], [, b]) => b.documents - a.documents || ((a.spellings[0] ?? "") < (b.spellings[0] ?? "") ? -1 : 1),
  );
  const chosen = new Set(ranked.slice(0, frequent).map(([key]) => key));
  for (const name of names) chosen.add(attributeKey(name));
  return Array.from(chosen, (key) => {
    const spellings = known.get(key)?.spellings ?? [];
    return { key, spellings, name: spellings[0] ?? names.find((name) => attributeKey(name) === key) ?? "" };
  });
}

export function valueAggregations(
  chosen: readonly ChosenAttribute[],
  own: ReadonlyMap<FilterKey, Clause>,
  counted: Counted,
): Record<string, object> {
  const lists = chosen.flatMap(({ key, spellings }) => [
    ...spellings.map((name) => ({ key, field: "attributes", prefix: attributePrefix(name) })),
    // A group may have several spellings of a value, a product has one of them.
    ...(counted === "products" || spellings.length === 0
      ? []
      : [{ key, field: "attributeFacet", prefix: attributePrefix(key) }]),
  ]);
  const size = sharedSize(valueBuckets, lists.length);
  const entries = lists.map(({ key, field, prefix }) => [
    aggregationName(prefix),
    countTerms(counted, clausesWithout(own, key), {
      field,
      // Without the brackets OpenSearch 2.19 fails in a shard where all values come before the prefix.
      include: `(${literal(prefix)}.*)`,
      size,
      shard_size: valuesPerShard,
    }),
  ]);
  return Object.fromEntries(entries);
}

/** Each value with the sum of its counts, most frequent first. */
export function addBuckets(one: Buckets, other: Buckets): Buckets {
  return (name) => {
    const counts = new Map<string | number, number>();
    for (const { key, doc_count } of [...one(name), ...other(name)])
      counts.set(key, (counts.get(key) ?? 0) + doc_count);
    return Array.from(counts, ([key, doc_count]) => ({ key, doc_count })).sort(
      (a, b) => b.doc_count - a.doc_count || compareKeys(a.key, b.key),
    );
  };
}

function compareKeys(a: string | number, b: string | number): number {
  return typeof a === "number" && typeof b === "number" ? a - b : compareCodePoints(String(a), String(b));
}

/** Without its meaning in the regular expressions of Lucene. */
function literal(text: string): string {
  return text.replace(/[.?+*|{}[\]()"\\#@&<>~^$-]/g, "\\$&");
}

export function readAttributes(
  { maxValues, query, attributes }: FacetRequest,
  chosen: readonly ChosenAttribute[],
  buckets: Buckets,
  rangeOf: (attribute: string, values: Iterable<string>) => NumberRange | undefined,
): AttributeFacet[] {
  const named = new Set(attributes?.names.map(attributeKey));
  return chosen.map(({ key, name, spellings }) => {
    const valuesOf = (prefix: string): FacetValue[] =>
      buckets(aggregationName(prefix)).map(({ key: bucket, doc_count }) => ({
        value: String(bucket).slice(prefix.length),
        count: doc_count,
      }));
    const byKey = new Map(valuesOf(attributePrefix(key)).map(({ value, count }) => [value, count]));
    const values = joinValues(spellings.map(attributePrefix).flatMap(valuesOf), nameKey)
      .map(({ value, count }) => ({ value, count: byKey.get(nameKey(value)) ?? count }))
      .filter(({ value }) => nameKey(value) !== "")
      .sort(byDocuments);
    const isTyped = typeof query?.facet === "object" && attributeKey(query.facet.attribute) === key;
    const range = named.has(key)
      ? rangeOf(
          name,
          values.map(({ value }) => value),
        )
      : undefined;
    return {
      name,
      values: keepBeginning(values, isTyped ? query.text : undefined, maxValues),
      ...(range && { range }),
    };
  });
}

/** The first values, or of all those in which a word begins with the text. */
export function keepBeginning(
  values: readonly FacetValue[],
  text: string | undefined,
  limit: number,
): FacetValue[] {
  const begins = text === undefined ? () => true : beginsWord(text);
  return values.filter(({ value }) => begins(value)).slice(0, limit);
}

function memberField(field: string): string {
  return `${membersField}.${field}`;
}

/** Groups that have a member for which all clauses hold. */
export function hasMember(clauses: readonly Clause[]): Clause {
  return { nested: { path: membersField, query: { bool: { filter: clauses.map(asMember) } } } };
}

/** A condition on products as one on members of groups, which have the same fields. */
export function asMember(clause: Clause): Clause {
  const [kind = "", body] = Object.entries(clause)[0] ?? [];
  switch (kind) {
    case "match_all":
    case "match_none":
      return { [kind]: body };
    case "ids":
      return { terms: { [memberField("rowId")]: entriesOf(body).flatMap(([, ids]) => ids) } };
    case "bool":
      return { bool: Object.fromEntries(entriesOf(body).map(([name, part]) => [name, inBool(part)])) };
    case "exists":
      return {
        exists: Object.fromEntries(entriesOf(body).map(([key, field]) => [key, memberField(String(field))])),
      };
    case "term":
    case "terms":
    case "range":
      return {
        [kind]: Object.fromEntries(entriesOf(body).map(([field, value]) => [memberField(field), value])),
      };
    default:
      throw new Error(`There is no condition "${kind}" on members.`);
  }
}

/** Clauses, or a number such as `minimum_should_match`. */
function inBool(part: unknown): unknown {
  return Array.isArray(part) ? part.map((one) => asMember(Object.fromEntries(entriesOf(one)))) : part;
}

function entriesOf(body: unknown): [string, unknown][] {
  return typeof body === "object" && body !== null ? Object.entries(body) : [];
}
