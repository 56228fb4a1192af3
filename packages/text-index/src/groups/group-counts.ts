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
import {
  availabilityCodes,
  priceRanges,
  rangeOfClasses,
  ratingClasses,
  ratingRanges,
  valueClassCount,
  valueClasses,
} from "../facets/facet-rows.ts";
import { nameVariants, type Tally, type TextTable, type Variants } from "../facets/frequent-values.ts";
import { numericAttribute } from "../facets/numeric-attributes.ts";
import { attributeKey, attributesIn, compareTags, tagVariants } from "../facets/segment-tags.ts";
import type { Facets, FacetValue, FilterKey, RangeKind } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import type { Segment } from "../segment/segment.ts";
import type { Numbers } from "../segment/segment-layout.ts";
import type { NameKind } from "../segment/segment-tables.ts";
import { compareCodePoints, indexOfString, stringAt, stringCount } from "../segment/string-table.ts";
import { flagTag, isAttributeTag, levelPrefix, pathKey, splitTag, tagKey } from "../segment/tags.ts";
import { nameKey } from "../text/tokenize.ts";
import { checkedAtOnce, checkTime } from "../time-limit.ts";
import { Groups, type JoinedNumbers, joinNumbers, listOf, noEntry } from "./groups.ts";

/** Counts groups: a group has a value if any of its documents has it. */
export class GroupCounts implements FacetCounts {
  readonly #readers: readonly SegmentReader[];
  readonly #matches: Groups;
  readonly #apart = new Map<FilterKey, Groups>();
  readonly #tagged = new Map<FilterKey | undefined, TagCounts>();

  readonly repeated: RepeatedNames;
  readonly numeric: FacetCounts["numeric"];

  constructor(readers: readonly SegmentReader[], matches: Groups, source: number | undefined) {
    this.numeric = (name) => numericAttribute(readers, name, source);
    this.repeated = repeatedNames(readers);
    this.#readers = readers;
    this.#matches = matches;
  }

  tallies(kind: NameKind, withInner = false): Tally[] {
    const joined = joinNames(this.#readers, kind, withInner);
    const columns = this.#readers.map(({ segment }) => segment.sections[kind]);
    const { counts } = countDistinct(this.#without(kind), joined, { columns, tags: joined.tags });
    return [{ table: { ...alone, to: joined.total, textOf: joined.textOf, keyOf: nameKey }, counts }];
  }

  levels(): Tally[] {
    const { joined, furtherLevels } = joinTags(this.#readers);
    const { counts } = this.#countTags("categories");
    const [first] = this.#readers;
    const own = first === undefined ? [] : [{ table: levelTable(first.segment), counts }];
    return [...own, furtherTally(furtherLevels, counts, joined, pathKey)];
  }

  availability(): Uint32Array {
    const columns = this.#readers.map(({ segment }) => segment.sections.availabilities);
    return countDistinct(this.#without("availability"), valuesBelow(availabilityCodes), { columns }).counts;
  }

  onSale(): number {
    const { counts } = this.#countTags("onSale");
    const { joined } = joinTags(this.#readers);
    for (const [i, { segment }] of this.#readers.entries()) {
      const tag = indexOfString(segment.tags, flagTag("onSale"));
      if (tag >= 0) return counts[joined.maps[i]?.[tag] ?? tag] ?? 0;
    }
    return 0;
  }

  attributes(): Map<FilterKey, FacetValue> {
    const { names, attributes } = joinTags(this.#readers);
    return new Map(
      [...attributes].flatMap(([key, { places }]) => {
        const counts = this.#countTags(key).attributes;
        return places.flatMap((place) => {
          const count = counts[place] ?? 0;
          return count > 0 ? [[key, { value: names[place] ?? "", count }] as const] : [];
        });
      }),
    );
  }

  valuesOf(attribute: FilterKey): Tally[] {
    const { joined, attributes } = joinTags(this.#readers);
    const { tables = [], further = [] } = attributes.get(attribute) ?? {};
    const { counts } = this.#countTags(attribute);
    return [...tables.map((table) => ({ table, counts })), furtherTally(further, counts, joined, nameKey)];
  }

  ranges(kind: RangeKind): Facets[RangeKind] {
    const groups = this.#without(kind);
    const columns = this.#readers.map(({ segment }) => valueClasses(segment));
    if (kind === "rating")
      return ratingRanges(new Float64Array(countGreatest(groups, columns, ratingClasses)));
    const classes = countDistinct(groups, valuesBelow(valueClassCount), { columns });
    const ranges = priceRanges(new Float64Array(classes.counts));
    // A group may have prices in several classes of a range, so the ranges are counted again.
    const map = rangeOfClasses(ranges);
    const numbered = { ...valuesBelow(ranges.length + 1), maps: columns.map(() => map) };
    const { counts } = countDistinct(groups, numbered, { columns });
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

  #countTags(key: FilterKey): TagCounts {
    const groups = this.#without(key);
    const cacheKey = groups === this.#matches ? undefined : key;
    const known = this.#tagged.get(cacheKey) ?? countTags(groups, joinTags(this.#readers));
    this.#tagged.set(cacheKey, known);
    return known;
  }
}

/** What is counted. The number of groups with any of several variants stands at the first that occurs. */
interface Numbered extends Pick<JoinedNumbers, "total" | "variants" | "maps"> {
  /** For each value the first of its variants; undefined if none has any. */
  readonly firsts: Uint32Array | undefined;
}

function valuesBelow(total: number): Numbered {
  return { total, variants: noVariants.sets, maps: [], firsts: undefined };
}

/** The values that documents have, by reader. */
interface Values {
  /** One of each document, whose value is in `maps`. */
  readonly columns?: readonly Numbers[];
  /** For each tag of a document its value, or `noValue`; undefined if they are the same. */
  readonly tags?: JoinedNumbers["maps"] | undefined;
  /** For each value the attribute whose groups are counted as well; 0 is none. */
  readonly attributeOf?: Uint32Array;
}

const noValue = 0xffffffff;

interface Counts {
  /** For each value, the number of groups with it. */
  readonly counts: Uint32Array;
  readonly attributes: Uint32Array;
  /** Whether any document has a value, if there are variants. */
  readonly occurs: Uint8Array;
}

function countDistinct(groups: Groups, numbered: Numbered, { columns, tags, attributeOf }: Values): Counts {
  const { total, variants, firsts } = numbered;
  const counted = {
    counts: new Uint32Array(total),
    attributes: new Uint32Array(attributeOf === undefined ? 0 : total + 1),
    occurs: new Uint8Array(firsts === undefined ? 0 : total),
  };
  const { counts, occurs } = counted;
  const ones = columns && valuesOfEntries(groups, numbered, columns, occurs);
  if (tags !== undefined) countLists(groups, counted, { ones, tags, firsts, attributeOf });
  else if (ones !== undefined) countOnes(groups, counts, ones);
  for (const numbers of variants) moveToShown(counts, numbers, occurs);
  return counted;
}

// Inner loops: plain indexing, no closures, no allocation. `seen` has the last group that was counted for each value, plus 1.

function countOnes({ count, heads, next }: Groups, counts: Uint32Array, ones: Uint32Array): void {
  const seen = new Uint32Array(counts.length);
  for (let place = 0; place < count; place++) {
    if (place % checkedAtOnce === 0) checkTime();
    for (let entry = heads[place] ?? noEntry; entry !== noEntry; entry = next[entry] ?? noEntry) {
      const one = ones[entry] ?? 0;
      if (seen[one] === place + 1) continue;
      seen[one] = place + 1;
      counts[one] = (counts[one] ?? 0) + 1;
    }
  }
}

interface Lists {
  /** A value of each entry besides those of its tags. */
  readonly ones: Uint32Array | undefined;
  readonly tags: JoinedNumbers["maps"];
  readonly firsts: Uint32Array | undefined;
  readonly attributeOf: Uint32Array | undefined;
}

function countLists(
  { count, heads, next, docs, readers, sections }: Groups,
  { counts, attributes, occurs }: Counts,
  { ones, tags, firsts, attributeOf }: Lists,
): void {
  const seen = new Uint32Array(counts.length);
  const seenAttributes = new Uint32Array(attributes.length);
  for (let place = 0; place < count; place++) {
    if (place % checkedAtOnce === 0) checkTime();
    for (let entry = heads[place] ?? noEntry; entry !== noEntry; entry = next[entry] ?? noEntry) {
      const one = ones?.[entry] ?? noValue;
      if (one !== noValue && seen[one] !== place + 1) {
        seen[one] = place + 1;
        counts[one] = (counts[one] ?? 0) + 1;
      }
      const of = sections[readers[entry] ?? 0];
      if (of === undefined) continue;
      const { tagRows, tagStarts } = of;
      const map = tags[readers[entry] ?? 0];
      const doc = docs[entry] ?? 0;
      const end = tagStarts[doc + 1] ?? 0;
      for (let at = tagStarts[doc] ?? 0; at < end; at++) {
        const tag = tagRows[at] ?? 0;
        let value = map === undefined ? tag : (map[tag] ?? 0);
        if (value === noValue) continue;
        if (firsts !== undefined) {
          occurs[value] = 1;
          value = firsts[value] ?? 0;
        }
        if (seen[value] === place + 1) continue;
        seen[value] = place + 1;
        counts[value] = (counts[value] ?? 0) + 1;
        const attribute = attributeOf?.[value] ?? 0;
        if (attribute === 0 || seenAttributes[attribute] === place + 1) continue;
        seenAttributes[attribute] = place + 1;
        attributes[attribute] = (attributes[attribute] ?? 0) + 1;
      }
    }
  }
}

/** The count of variants stands at the first; it is moved to the first that occurs. */
function moveToShown(counts: Uint32Array, numbers: readonly number[], occurs: Uint8Array): void {
  const [first = 0] = numbers;
  const count = counts[first] ?? 0;
  counts[first] = 0;
  counts[numbers.find((number) => occurs[number] === 1) ?? first] = count;
}

/** The value of each entry, of variants the first. One column after the other, in its order, takes less time than group by group. */
function valuesOfEntries(
  { docs, lists }: Groups,
  { maps, firsts }: Numbered,
  columns: readonly Numbers[],
  occurs: Uint8Array,
): Uint32Array {
  const values = new Uint32Array(docs.length);
  let entry = 0;
  for (const { reader, count } of lists) {
    checkTime();
    const column = columns[reader] ?? values;
    const map = maps[reader];
    for (const end = entry + count; entry < end; entry++) {
      if (entry % checkedAtOnce === 0) checkTime();
      const number = column[docs[entry] ?? 0] ?? 0;
      const value = map === undefined ? number : (map[number] ?? 0);
      values[entry] = value;
      if (firsts === undefined) continue;
      occurs[value] = 1;
      values[entry] = firsts[value] ?? 0;
    }
  }
  return values;
}

type TagCounts = Pick<Counts, "counts" | "attributes">;

/** The number of groups of each tag and, by place, of each attribute; that of its spellings stands at the first that occurs. */
function countTags(
  groups: Groups,
  { joined, names, spellings, placeOf, firstPlaces }: JoinedTags,
): TagCounts {
  const counted = countDistinct(groups, joined, { tags: joined.maps, attributeOf: firstPlaces });
  if (spellings.length === 0) return counted;
  const occurs = new Uint8Array(names.length);
  const tagOccurs = joined.firsts === undefined ? counted.counts : counted.occurs;
  for (let tag = 0; tag < placeOf.length; tag++) if (tagOccurs[tag] !== 0) occurs[placeOf[tag] ?? 0] = 1;
  for (const places of spellings) moveToShown(counted.attributes, places, occurs);
  return counted;
}

/** For each value below `total`, which is a power of two, the number of groups whose greatest one it is, by their last bits. */
function countGreatest(
  { count, heads, next, docs, readers }: Groups,
  columns: readonly Uint16Array[],
  total: number,
): Uint32Array {
  const counts = new Uint32Array(total);
  for (let place = 0; place < count; place++) {
    if (place % checkedAtOnce === 0) checkTime();
    let greatest = 0;
    for (let entry = heads[place] ?? noEntry; entry !== noEntry; entry = next[entry] ?? noEntry) {
      const value = (columns[readers[entry] ?? 0]?.[docs[entry] ?? 0] ?? 0) & (total - 1);
      if (value > greatest) greatest = value;
    }
    counts[greatest] = (counts[greatest] ?? 0) + 1;
  }
  return counts;
}

function withFirsts(joined: JoinedNumbers): JoinedNumbers & Numbered {
  const { total, variants } = joined;
  if (variants.length === 0) return { ...joined, firsts: undefined };
  const firsts = Uint32Array.from({ length: total }, (_, number) => number);
  for (const numbers of variants) for (const number of numbers) firsts[number] = numbers[0] ?? 0;
  return { ...joined, firsts };
}

/** The names of one kind of all segments. */
interface JoinedNames extends JoinedNumbers, Numbered {
  /** For each segment, the numbers of the tags that are names of further or of inner levels; undefined if there are none. */
  readonly tags: readonly Uint32Array[] | undefined;
}

const namesOf = new WeakMap<readonly SegmentReader[], Map<string, JoinedNames>>();

function joinNames(readers: readonly SegmentReader[], kind: NameKind, withInner: boolean): JoinedNames {
  const known = namesOf.get(readers) ?? new Map<string, JoinedNames>();
  namesOf.set(readers, known);
  const key = `${kind} ${withInner}`;
  const joined =
    known.get(key) ??
    joinNamesOf(
      readers.map(({ segment }) => segment),
      kind,
      withInner,
    );
  known.set(key, joined);
  return joined;
}

function joinNamesOf(segments: readonly Segment[], kind: NameKind, withInner: boolean): JoinedNames {
  const [first] = segments;
  const tableKinds = kind !== "categories" ? [] : withInner ? [furtherTable, innerTable] : [furtherTable];
  const tagged = tableKinds.flatMap((tableOf) =>
    segments.map((segment, i) => ({ segment: i, table: tableOf(segment) })),
  );
  const names = segments.map((segment) => nameTable(segment, kind));
  const variants = first === undefined ? noVariants : nameVariants(first, kind);
  const joined = joinNumbers([...names, ...tagged.map(({ table }) => table)], variants, compareCodePoints);
  if (tagged.every(({ table: { from, to } }) => from === to))
    return { ...withFirsts(joined), tags: undefined };
  const tags = segments.map((segment) => new Uint32Array(stringCount(segment.tags)).fill(noValue));
  tagged.forEach(({ segment, table }, i) => {
    tags[segment]?.set(joined.maps[names.length + i] ?? [], table.from);
  });
  return { ...withFirsts(joined), tags };
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
  readonly joined: JoinedNumbers & Numbered;
  /** Tags for levels of categories that only further segments have. */
  readonly furtherLevels: readonly number[];
  readonly attributes: ReadonlyMap<FilterKey, JoinedAttribute>;
  /** The names of attributes by their place; 0 is none. */
  readonly names: readonly string[];
  /** The places of attributes with several spellings. */
  readonly spellings: ReadonlyArray<readonly number[]>;
  /** The place of each tag's attribute, or 0; and that of the first spelling of its name. */
  readonly placeOf: Uint32Array;
  readonly firstPlaces: Uint32Array;
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
  const joined = withFirsts(joinNumbers(segments.map(tagTable), variants, compareTags));
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
  const firsts = Uint32Array.from(names, (_, place) => place);
  for (const { places } of attributes.values()) {
    places.sort((a, b) => compareCodePoints(names[a] ?? "", names[b] ?? ""));
    for (const place of places) firsts[place] = places[0] ?? 0;
  }
  const firstPlaces = placeOf.map((place) => firsts[place] ?? 0);
  const spellings = [...attributes.values()].map(({ places }) => places).filter(({ length }) => length > 1);
  return { joined, furtherLevels, attributes, names, spellings, placeOf, firstPlaces };
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
