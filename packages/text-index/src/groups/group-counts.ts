import {
  attributeTable,
  type FacetCounts,
  furtherTable,
  innerTable,
  levelTable,
  nameTable,
  type RepeatedNames,
  repeatedNames,
} from "../facets/count-facets.ts";
import { availabilityCodes } from "../facets/facet-rows.ts";
import type { Tally, TextTable } from "../facets/frequent-values.ts";
import type { Variants } from "../facets/name-variants.ts";
import { numericAttribute } from "../facets/numeric-attributes.ts";
import { nameVariants } from "../facets/segment-names.ts";
import { attributeKey, attributesIn, compareTags, tagVariants } from "../facets/segment-tags.ts";
import { ratingClasses, valueClassCount, valueClasses } from "../facets/value-classes.ts";
import { priceRanges, rangeOfClasses, ratingRanges } from "../facets/value-ranges.ts";
import type { Facets, FacetValue, FilterKey, RangeKind } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import type { Segment } from "../segment/segment.ts";
import type { Numbers } from "../segment/segment-layout.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { compareCodePoints, indexOfString, stringAt, stringCount } from "../segment/string-table.ts";
import { flagTag, isAttributeTag, levelPrefix, pathKey, splitTag, tagKey } from "../segment/tags.ts";
import { nameKey } from "../text/fold.ts";
import { checkTime } from "../time-limit.ts";
import { Groups, listOf, noEntry } from "./groups.ts";
import { type JoinedNumbers, joinNumbers } from "./joined-numbers.ts";

/** The values that a document of one segment has: a number of a column, or a list of them; `map` makes them joined numbers. */
interface Values {
  readonly column: Numbers;
  /** Where the list of each document begins in the column; undefined if each has one value. */
  readonly starts: Uint32Array | undefined;
  /** The column's numbers begin here in `map`; others are not counted. */
  readonly from: number;
  readonly to: number;
  readonly map: Uint32Array | undefined;
}

/** Counts groups: a group has a value if any of its documents has it. */
export class GroupCounts implements FacetCounts {
  readonly #readers: readonly SegmentReader[];
  readonly #matches: Groups;
  readonly #apart = new Map<FilterKey, Groups>();
  readonly #tagged = new Map<FilterKey | undefined, Uint32Array>();
  readonly #byAttribute = new Map<FilterKey | undefined, Uint32Array>();
  #tags: JoinedTags | undefined;

  readonly repeated: RepeatedNames;
  readonly numeric: FacetCounts["numeric"];

  constructor(readers: readonly SegmentReader[], matches: Groups, source: number | undefined) {
    this.numeric = (name) => numericAttribute(readers, name, source);
    this.repeated = repeatedNames(readers);
    this.#readers = readers;
    this.#matches = matches;
  }

  tallies(kind: NameKind, withInner = false): Tally[] {
    const names = this.#readers.map(({ segment }) => nameTable(segment, kind));
    const tableKinds = kind !== "categories" ? [] : withInner ? [furtherTable, innerTable] : [furtherTable];
    const tagged = tableKinds.map((tableOf) => this.#readers.map(({ segment }) => tableOf(segment)));
    const [first] = this.#readers;
    const variants = first === undefined ? noVariants : nameVariants(first.segment, kind);
    const joined = joinNumbers([...names, ...tagged.flat()], variants, compareCodePoints);
    const groups = this.#without(kind);
    const counts = countDistinct(groups, joined, [
      this.#readers.map(({ segment }, i) => ({
        column: segment.sections[kind],
        starts: undefined,
        from: 0,
        to: Number.POSITIVE_INFINITY,
        map: joined.maps[i],
      })),
      ...tagged.flatMap((tables, place) =>
        tables.some(({ from, to }) => from < to)
          ? [
              this.#readers.map(({ segment }, i) => ({
                ...tagValues(segment),
                from: tables[i]?.from ?? 0,
                to: tables[i]?.to ?? 0,
                map: joined.maps[names.length * (place + 1) + i],
              })),
            ]
          : [],
      ),
    ]);
    return [{ table: { ...alone, to: joined.total, textOf: joined.textOf, keyOf: nameKey }, counts }];
  }

  levels(): Tally[] {
    const { joined, furtherLevels } = this.#joinTags();
    const counts = this.#countTags("categories");
    const [first] = this.#readers;
    const own = first === undefined ? [] : [{ table: levelTable(first.segment), counts }];
    return [...own, furtherTally(furtherLevels, counts, joined, pathKey)];
  }

  availability(): Uint32Array {
    return countDistinct(this.#without("availability"), valuesBelow(availabilityCodes), [
      this.#readers.map(({ segment }) => oneValue(segment.sections.availabilities)),
    ]);
  }

  onSale(): number {
    const counts = this.#countTags("onSale");
    for (const [i, { segment }] of this.#readers.entries()) {
      const tag = indexOfString(segment.tags, flagTag("onSale"));
      if (tag >= 0) return counts[this.#joinTags().joined.maps[i]?.[tag] ?? tag] ?? 0;
    }
    return 0;
  }

  attributes(): Map<FilterKey, FacetValue> {
    const { names, attributes } = this.#joinTags();
    return new Map(
      [...attributes].flatMap(([key, { places }]) => {
        const counts = this.#countAttributes(key);
        return places.flatMap((place) => {
          const count = counts[place] ?? 0;
          return count > 0 ? [[key, { value: names[place] ?? "", count }] as const] : [];
        });
      }),
    );
  }

  valuesOf(attribute: FilterKey): Tally[] {
    const { joined, attributes } = this.#joinTags();
    const { tables = [], further = [] } = attributes.get(attribute) ?? {};
    const counts = this.#countTags(attribute);
    return [...tables.map((table) => ({ table, counts })), furtherTally(further, counts, joined, nameKey)];
  }

  ranges(kind: RangeKind): Facets[RangeKind] {
    const groups = this.#without(kind);
    const columns = this.#readers.map(({ segment }) => valueClasses(segment));
    if (kind === "rating")
      return ratingRanges(Float64Array.from(countGreatest(groups, columns, ratingClasses)));
    const classes = columns.map(oneValue);
    const ranges = priceRanges(
      Float64Array.from(countDistinct(groups, valuesBelow(valueClassCount), [classes])),
    );
    // A group may have prices in several classes of a range, so the ranges are counted again.
    const map = rangeOfClasses(ranges);
    const numbered = valuesBelow(ranges.length + 1);
    const counts = countDistinct(groups, numbered, [classes.map((values) => ({ ...values, map }))]);
    return ranges.map((range, i) => ({ ...range, count: counts[i + 1] ?? 0 }));
  }

  #without(key: FilterKey): Groups {
    const isApart = this.#readers.some(({ state }) => (state.nearMisses.get(key)?.length ?? 0) > 0);
    if (!isApart) return this.#matches;
    const known = this.#apart.get(key) ?? this.#groupWith(key);
    this.#apart.set(key, known);
    return known;
  }

  #groupWith(key: FilterKey): Groups {
    const lists = this.#readers.flatMap(({ state }, reader) => {
      const missed = state.nearMisses.get(key) ?? new Uint32Array();
      return [listOf(state.matches, reader), { reader, docs: missed, count: missed.length }];
    });
    return new Groups(this.#readers, lists);
  }

  #joinTags(): JoinedTags {
    this.#tags ??= joinTags(this.#readers);
    return this.#tags;
  }

  #countTags(key: FilterKey): Uint32Array {
    const { joined } = this.#joinTags();
    const groups = this.#without(key);
    const cacheKey = groups === this.#matches ? undefined : key;
    const known =
      this.#tagged.get(cacheKey) ??
      countDistinct(groups, joined, [
        this.#readers.map(({ segment }, i) => ({ ...tagValues(segment), map: joined.maps[i] })),
      ]);
    this.#tagged.set(cacheKey, known);
    return known;
  }

  #countAttributes(key: FilterKey): Uint32Array {
    const { attributeMaps, attributes, names } = this.#joinTags();
    const groups = this.#without(key);
    const cacheKey = groups === this.#matches ? undefined : key;
    const known =
      this.#byAttribute.get(cacheKey) ??
      countDistinct(
        groups,
        { total: names.length, variants: [...attributes.values()].map(({ places }) => places) },
        [this.#readers.map(({ segment }, i) => ({ ...tagValues(segment), map: attributeMaps[i] }))],
      );
    this.#byAttribute.set(cacheKey, known);
    return known;
  }
}

function oneValue(column: Numbers): Values {
  return { column, starts: undefined, from: 0, to: Number.POSITIVE_INFINITY, map: undefined };
}

function tagValues({ sections }: Segment): Values {
  return {
    column: sections.tagRows,
    starts: sections.tagStarts,
    from: 0,
    to: Number.POSITIVE_INFINITY,
    map: undefined,
  };
}

/** What is counted. The number of groups with any of several variants stands at the first that occurs. */
type Numbered = Pick<JoinedNumbers, "total" | "variants">;

function valuesBelow(total: number): Numbered {
  return { total, variants: noVariants.sets };
}

/** Counting so many takes about a millisecond. */
const groupsAtOnce = 8192;

/**
 * For each value, the number of groups with it. `columns` have the values of the documents by reader; if a document has values in
 * several columns, all are counted. An inner loop.
 */
function countDistinct(
  groups: Groups,
  { total, variants }: Numbered,
  columns: ReadonlyArray<readonly Values[]>,
): Uint32Array {
  const counts = new Uint32Array(total);
  // The last group that was counted for each value, plus 1.
  const seen = new Uint32Array(total);
  const several = variants.filter(({ length }) => length > 1);
  const firsts = several.length === 0 ? undefined : firstOfEach(total, several);
  const occurs = new Uint8Array(firsts === undefined ? 0 : total);
  const { heads, next, docs, readers } = groups;
  for (let place = 0; place < groups.count; place++) {
    if (place % groupsAtOnce === 0) checkTime();
    for (let entry = heads[place] ?? noEntry; entry !== noEntry; entry = next[entry] ?? noEntry) {
      const doc = docs[entry] ?? 0;
      for (let i = 0; i < columns.length; i++) {
        const of = columns[i]?.[readers[entry] ?? 0];
        if (of === undefined) continue;
        const { column, starts, from, to, map } = of;
        const end = starts === undefined ? doc + 1 : (starts[doc + 1] ?? 0);
        for (let at = starts === undefined ? doc : (starts[doc] ?? 0); at < end; at++) {
          const number = column[at] ?? 0;
          if (number < from || number >= to) continue;
          let value = map === undefined ? number : (map[number - from] ?? 0);
          if (firsts !== undefined) {
            occurs[value] = 1;
            value = firsts[value] ?? 0;
          }
          if (seen[value] === place + 1) continue;
          seen[value] = place + 1;
          counts[value] = (counts[value] ?? 0) + 1;
        }
      }
    }
  }
  for (const numbers of several) {
    const [first = 0] = numbers;
    const shown = numbers.find((number) => occurs[number] === 1) ?? first;
    const documents = counts[first] ?? 0;
    counts[first] = 0;
    counts[shown] = documents;
  }
  return counts;
}

/** For each value below `total`, which is a power of two, the number of groups whose greatest one it is, by their last bits. */
function countGreatest(
  { count, heads, next, docs, readers }: Groups,
  columns: readonly Uint32Array[],
  total: number,
): Uint32Array {
  const counts = new Uint32Array(total);
  for (let place = 0; place < count; place++) {
    if (place % groupsAtOnce === 0) checkTime();
    let greatest = 0;
    for (let entry = heads[place] ?? noEntry; entry !== noEntry; entry = next[entry] ?? noEntry) {
      const value = (columns[readers[entry] ?? 0]?.[docs[entry] ?? 0] ?? 0) & (total - 1);
      if (value > greatest) greatest = value;
    }
    counts[greatest] = (counts[greatest] ?? 0) + 1;
  }
  return counts;
}

function firstOfEach(total: number, variants: Variants["sets"]): Uint32Array {
  const firsts = Uint32Array.from({ length: total }, (_, number) => number);
  for (const numbers of variants) for (const number of numbers) firsts[number] = numbers[0] ?? 0;
  return firsts;
}

/** An attribute of all segments. */
interface JoinedAttribute {
  /** One for each spelling of its name, in the order of these. */
  readonly places: number[];
  /** Its tags in the first segment, and those that only further segments have. */
  readonly tables: TextTable[];
  readonly further: number[];
}

/** The tags of all segments. */
interface JoinedTags {
  readonly joined: JoinedNumbers;
  /** Tags for levels of categories that only further segments have. */
  readonly furtherLevels: readonly number[];
  readonly attributes: ReadonlyMap<FilterKey, JoinedAttribute>;
  /** The names of attributes by their place; 0 is none. */
  readonly names: readonly string[];
  /** For each segment, the place of each tag's attribute, or 0. */
  readonly attributeMaps: readonly Uint32Array[];
}

const tagsOf = new WeakMap<readonly SegmentReader[], JoinedTags>();

function joinTags(readers: readonly SegmentReader[]): JoinedTags {
  const known = tagsOf.get(readers) ?? joinTagsOf(readers.map(({ segment }) => segment));
  tagsOf.set(readers, known);
  return known;
}

/** Tags of the first segment, which has nearly all, are not decoded. */
function joinTagsOf(segments: readonly Segment[]): JoinedTags {
  const [first] = segments;
  const variants = first === undefined ? noVariants : tagVariants(first);
  const joined = joinNumbers(segments.map(tagTable), variants, compareTags);
  const furtherLevels: number[] = [];
  const attributes = new Map<FilterKey, JoinedAttribute>();
  const names = [""];
  const placeOfName = new Map<string, number>();
  const attributeOf = (name: string) => {
    const key = attributeKey(name);
    const attribute = attributes.get(key) ?? { places: [], tables: [], further: [] };
    attributes.set(key, attribute);
    const place = placeOfName.get(name) ?? names.length;
    if (place === names.length) {
      names.push(name);
      placeOfName.set(name, place);
      attribute.places.push(place);
    }
    return { ...attribute, place };
  };
  const placeOf = new Uint32Array(joined.total);
  if (first !== undefined)
    for (const { name, from, to } of attributesIn(first)) {
      const attribute = attributeOf(name);
      attribute.tables.push(attributeTable(first, { name, from, to }));
      placeOf.fill(attribute.place, from, to);
    }
  for (let tag = first === undefined ? 0 : stringCount(first.tags); tag < joined.total; tag++) {
    const text = joined.textOf(tag);
    if (text.startsWith(levelPrefix)) furtherLevels.push(tag);
    else if (isAttributeTag(text)) {
      const attribute = attributeOf(splitTag(text)[0]);
      attribute.further.push(tag);
      placeOf[tag] = attribute.place;
    }
  }
  for (const { places } of attributes.values())
    places.sort((a, b) => compareCodePoints(names[a] ?? "", names[b] ?? ""));
  const attributeMaps = segments.map(({ tags }, i) =>
    Uint32Array.from({ length: stringCount(tags) }, (_, tag) => placeOf[joined.maps[i]?.[tag] ?? tag] ?? 0),
  );
  return { joined, furtherLevels, attributes, names, attributeMaps };
}

function tagTable(segment: Segment): TextTable {
  const { tags } = segment;
  return {
    strings: tags,
    from: 0,
    to: stringCount(tags),
    textOf: (tag) => stringAt(tags, tag),
    numberOf: (text) => indexOfString(tags, text),
    keyOf: tagKey,
    numbersOf: (key) => tagVariants(segment).numbersOf(key),
  };
}

const noVariants: Variants = { sets: [], numbersOf: () => [] };

/** Of a table with all texts, in which none of another one is looked up. */
const alone = { strings: undefined, from: 0, numberOf: () => -1, numbersOf: () => [] };

/** The values of tags that the first segment does not have. */
function furtherTally(
  tags: readonly number[],
  counts: Uint32Array,
  joined: JoinedNumbers,
  keyOf: TextTable["keyOf"],
): Tally {
  return {
    table: { ...alone, to: tags.length, textOf: (i) => splitTag(joined.textOf(tags[i] ?? 0))[1], keyOf },
    counts: Uint32Array.from(tags, (tag) => counts[tag] ?? 0),
  };
}
