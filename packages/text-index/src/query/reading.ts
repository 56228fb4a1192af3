import { BoundedCache } from "../bounded-cache.ts";
import type { Language, Languages } from "../language/language.ts";
import type { SearchQuery, SearchResult } from "../search/search-query.ts";
import type { SegmentReader } from "../search/segment-reader.ts";
import { eachDoc } from "../segment/packed-postings.ts";
import { PostingsCursor, postingCount, queryKey, TermPostings } from "../segment/postings.ts";
import { isDeleted } from "../segment/segment.ts";
import { spelled } from "../segment/spellings.ts";
import { isLevelTerm } from "../text/tokenize.ts";
import { checkTime } from "../time-limit.ts";
import { planInLanguages } from "./plan-query.ts";
import type { Alternative, PlannedWord, QueryPlan, WordRole, WordStatistics } from "./query-plan.ts";
import { beginsFewWords, completionWeight, lastTerms, perhapsAThing, thingShare } from "./read-word.ts";

/**
 * What a text means. It follows from the text, the catalog of the source and the languages alone, never from filters, order,
 * page or facets, and is the same for every engine.
 */
export interface Reading {
  /** `everything`: there is no text. `nothing`: the source has no such products. */
  readonly finds: "everything" | "words" | "nothing";
  /** In the order of the text. A document must have those that are required. */
  readonly words: readonly PlannedWord[];
  /** Documents with this key match as well, before all others. */
  readonly key: string | undefined;
  /** The index of the word that names the thing; −1 without one. */
  readonly thing: number;
  /** Whether names in the catalog use that word for a thing. */
  readonly isThingSure: boolean;
  /** Whether names in the catalog have that word: for a thing, unless documents have all words of the text. */
  readonly isThingNamed: boolean;
  /** The thing, if no document is such a thing. */
  readonly absentThing: string | undefined;
}

/** What only the documents tell: whether one of the source has the key, or all required words. */
export type ReadingQuestion =
  | { readonly kind: "key"; readonly key: string }
  | { readonly kind: "words"; readonly words: readonly PlannedWord[] };

/** The caller looks into the documents of the source and replies. */
export type ReadingSteps = Generator<ReadingQuestion, Reading, boolean>;

/** Reads the words of a text as the catalog has them. */
interface QueryPlanner {
  plan(text: string): QueryPlan;
  /** More ways to match the words, for a text of which no document has all; undefined if there are none. */
  widen(plan: QueryPlan): QueryPlan | undefined;
  /** Whether names in the catalog have the word, or have it for a thing. */
  isNamed(word: PlannedWord): boolean;
  isThing(word: PlannedWord): boolean;
  /** About how many documents have the word. */
  frequencyOf(word: PlannedWord): number;
}

export interface ReadingRequest {
  /** Empty: all documents. */
  readonly text: string;
  /** No word is dropped. */
  readonly everyWord: boolean;
}

const everything: Reading = {
  finds: "everything",
  words: [],
  key: undefined,
  thing: -1,
  isThingSure: false,
  isThingNamed: false,
  absentThing: undefined,
};

export function* readText(planner: QueryPlanner, { text, everyWord }: ReadingRequest): ReadingSteps {
  if (text.trim() === "") return everything;
  const plan = planner.plan(text);
  const key = queryKey(text);
  if (key !== undefined && (yield { kind: "key", key })) {
    const words = plan.words.map((word) => ({ ...word, as: "matched" as const, used: [word.word] }));
    return { ...readingOf(planner, plan, words), finds: "words", isThingNamed: true, key };
  }
  const nothing = { ...readingOf(planner, plan, plan.words), finds: "nothing" as const };
  const absent = everyWord ? undefined : plan.findAbsentThing();
  const lacking = lackingWord(plan, everyWord);
  if (lacking !== undefined || absent?.isCertain === true)
    return everyWord ? nothing : { ...nothing, absentThing: absent?.word ?? lacking?.word };
  if (yield { kind: "words", words: plan.words }) return readingOf(planner, plan, plan.words);
  const wider = planner.widen(plan);
  if (wider !== undefined && (yield { kind: "words", words: wider.words }))
    return readingOf(planner, wider, wider.words);
  if (everyWord) return nothing;
  if (absent !== undefined) return { ...nothing, absentThing: absent.word };
  const words = yield* dropWords(planner, wider ?? plan);
  return words === undefined ? nothing : readingOf(planner, plan, words);
}

/** A word that the catalog does not have and without which the text would mean another thing. */
function lackingWord(plan: QueryPlan, everyWord: boolean): PlannedWord | undefined {
  const isUnknown = ({ as }: PlannedWord) => as === "unknown";
  if (everyWord || !plan.words.some(isUnknown)) return plan.words.find(isUnknown);
  const roles = plan.roles();
  return plan.words.find((word, place) => isUnknown(word) && isKept(roles[place]));
}

/** A word that names the thing, or makes it another one, is never dropped. */
function isKept(role: WordRole | undefined): boolean {
  return role === "thing" || role === "defining";
}

/** Words are dropped in this order. */
const droppedFirst = ["measure", "property", "use"] as const satisfies readonly WordRole[];

/**
 * Drops as few words as possible, in their order: from the words that are never dropped on, each other word is kept with which a
 * document has all so far. Undefined if no document has those that must stay.
 */
function* dropWords(
  planner: QueryPlanner,
  plan: QueryPlan,
): Generator<ReadingQuestion, readonly PlannedWord[] | undefined, boolean> {
  const { words } = plan;
  const roles = plan.roles();
  const places = [...words.keys()].filter((place) => words[place]?.isRequired);
  const kept = new Set(places.filter((place) => isKept(roles[place])));
  // A rare word says more than a frequent one.
  const frequencies = words.map((word) => planner.frequencyOf(word));
  const byRarity = places.toSorted((a, b) => (frequencies[a] ?? 0) - (frequencies[b] ?? 0) || a - b);
  const others = droppedFirst
    .toReversed()
    .flatMap((role) => byRarity.filter((place) => roles[place] === role));
  if (others.length === 0) return undefined;
  const withKept = (places: ReadonlySet<number>) =>
    words.map((word, place) =>
      !word.isRequired || places.has(place) ? word : { ...word, as: "dropped" as const, isRequired: false },
    );
  if (kept.size > 0 && !(yield { kind: "words", words: withKept(kept) })) return undefined;
  for (const place of others) {
    const more = new Set([...kept, place]);
    if (more.size < places.length && (yield { kind: "words", words: withKept(more) })) kept.add(place);
  }
  return kept.size === 0 ? undefined : withKept(kept);
}

function readingOf(planner: QueryPlanner, plan: QueryPlan, words: readonly PlannedWord[]): Reading {
  const thing = words[plan.thing];
  const isRead = words.some(({ isRequired }) => isRequired);
  const isWhole = words.every(({ as }) => as !== "dropped" && as !== "unknown");
  return {
    finds: isRead ? "words" : "nothing",
    words,
    key: undefined,
    thing: plan.thing,
    isThingSure: plan.isThingSure,
    isThingNamed: thing !== undefined && (planner.isThing(thing) || (isWhole && planner.isNamed(thing))),
    absentThing: undefined,
  };
}

export interface IndexInternals {
  readonly readers: readonly SegmentReader[];
  readonly statistics: WordStatistics;
  readonly languages: Languages;
}

/** Reads queries with the words of an index. */
export function createQueryPlanner(
  { statistics, languages }: Pick<IndexInternals, "statistics" | "languages">,
  { asWritten = false }: Pick<SearchQuery, "asWritten"> = {},
): QueryPlanner {
  return {
    plan: (text) => {
      const plan = planInLanguages(statistics, languages, text);
      return asWritten ? planAsWritten(plan) : plan;
    },
    widen: (plan) => (asWritten ? undefined : widenPlan(statistics, plan)),
    isNamed: (word) => lastTerms(word).some((term) => statistics.timesNamed(term) > 0),
    isThing: (word) => thingShare(statistics, word) >= perhapsAThing || lastTerms(word).some(isLevelTerm),
    frequencyOf: ({ alternatives }) =>
      alternatives.reduce(
        (most, way) => ("term" in way ? Math.max(most, statistics.documentsWith(way.term)) : most),
        0,
      ),
  };
}

/**
 * The plan without the other ways to match a word that the catalog has: synonyms, its halves, its forms in other
 * languages. Their lists are long and must be united, which takes most of the time of a search.
 */
function planAsWritten(plan: QueryPlan): QueryPlan {
  return { ...plan, words: plan.words.map(withoutOthers) };
}

function withoutOthers(word: PlannedWord): PlannedWord {
  const [first, second] = word.alternatives;
  const isWritten = first !== undefined && "term" in first && first.weight === 1;
  return isWritten && second !== undefined ? { ...word, alternatives: [first] } : word;
}

/** The same query with its last word as a prefix; undefined if it begins no other word. */
function widenPlan(statistics: WordStatistics, plan: QueryPlan): QueryPlan | undefined {
  const { language, words } = plan;
  const last = words.at(-1);
  const more = last === undefined ? [] : completionOf(statistics, language, last);
  if (last === undefined || more.length === 0) return undefined;
  const wider = { ...last, alternatives: [...last.alternatives, ...more] };
  return { ...plan, words: [...words.slice(0, -1), wider] };
}

function completionOf(
  statistics: WordStatistics,
  { termOf }: Language,
  { word, as }: PlannedWord,
): Alternative[] {
  const canBegin = as === "matched" && beginsFewWords(statistics, word);
  // Most words begin no other word. Searching for those again would find the same.
  return canBegin && statistics.prefixAddsTerms(word, termOf(word))
    ? [{ prefix: word, weight: completionWeight }]
    : [];
}

const keptReadings = 2_000;
const readingsOf = new WeakMap<readonly SegmentReader[], BoundedCache<string, Reading>>();

/** What a text means for a source. A snapshot never changes, so each text is read once. */
export function readInIndex(
  internals: IndexInternals,
  { text, everyWord = false, asWritten = false, filters }: SearchQuery,
): Reading {
  const { readers } = internals;
  const readings = readingsOf.get(readers) ?? new BoundedCache<string, Reading>(keptReadings);
  readingsOf.set(readers, readings);
  const source = filters?.source;
  return readings.get(`${source} ${everyWord} ${asWritten} ${text}`, () => {
    const steps = readText(createQueryPlanner(internals, { asWritten }), { text, everyWord });
    for (let step = steps.next(); ; ) {
      if (step.done) return step.value;
      const question = step.value;
      step = steps.next(
        readers.some((reader) =>
          question.kind === "key"
            ? hasKey(reader, question.key, source)
            : hasWords(reader, question.words, source),
        ),
      );
    }
  });
}

function hasKey(reader: SegmentReader, key: string, source: number | undefined): boolean {
  const { sources } = reader.segment.sections;
  return reader.documentsWithKey(key).some((doc) => source === undefined || sources[doc] === source);
}

/** Whether a live document of the source has all required words. Ends at the first one. */
function hasWords(reader: SegmentReader, words: readonly PlannedWord[], source: number | undefined): boolean {
  checkTime();
  const [rarest, ...others] = words
    .filter(({ isRequired }) => isRequired)
    .map(({ alternatives }) => reader.postingsOf(alternatives))
    .sort((a, b) => postingCount(a) - postingCount(b));
  if (rarest === undefined || postingCount(rarest) === 0) return false;
  const cursors = others.map((list) => new PostingsCursor(list));
  const { deletions, segment } = reader;
  const { sources } = segment.sections;
  const has = (doc: number) => {
    if (source !== undefined && sources[doc] !== source) return false;
    if (deletions !== undefined && isDeleted(deletions, doc)) return false;
    for (const cursor of cursors) if (cursor.impactOn(doc) === 0) return false;
    return true;
  };
  if (others.length === 0 && rarest instanceof TermPostings) {
    // Hardly more than the first document is read. The lists of several words are unpacked for the search as well.
    for (const doc of eachDoc(segment.sections, rarest.term)) if (has(doc)) return true;
    return false;
  }
  const { docs, start, end } = rarest;
  for (let at = start; at < end; at++) if (has(docs[at] ?? 0)) return true;
  return false;
}

export type DescribedReading = Pick<
  SearchResult,
  "finds" | "correctedText" | "thing" | "isThingNamed" | "absentThing" | "words"
>;

/** What a result says about how its text was read. */
export function describeReading(
  readers: readonly SegmentReader[],
  { finds, words, thing, isThingSure, isThingNamed, absentThing }: Reading,
): DescribedReading {
  return {
    finds,
    correctedText: correctedText(readers, words),
    thing: isThingSure ? words[thing]?.word : undefined,
    isThingNamed,
    absentThing,
    words: words.map(({ word, as, used }) => ({ word, as, used })),
  };
}

function correctedText(readers: readonly SegmentReader[], words: readonly PlannedWord[]): string | undefined {
  const isCorrected = ({ as, used, word }: PlannedWord) =>
    as === "corrected" || as === "split" || (as === "dropped" && used[0] !== word);
  if (!words.some(isCorrected)) return undefined;
  const read = words.map(({ as, word, used }) => (as === "completed" ? word : (used[0] ?? word)));
  // Two words that were joined into one are both matched by it.
  const text = read.filter((word, i) => word !== read[i - 1]).join(" ");
  return spelled(
    readers.map(({ segment }) => segment),
    text,
  );
}
