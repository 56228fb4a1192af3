import {
  type Constraints,
  mergeConstraints,
} from "@product-search/core/domain/query-understanding/phrase-table.ts";
import type { MeantKinds, NamedKind } from "@product-search/core/ports/kind-finder.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { attributesIn } from "./asked-attributes.ts";
import { comparable } from "./colours.ts";
import { measuresIn } from "./measures.ts";
import { isSizeWord, type Roles, readRoles } from "./read-roles.ts";
import { marksIn, type RequestMeaning, withoutMarks } from "./request-meaning.ts";
import { isAdjective, isTopic, statusOfThing, type ThingDeps } from "./things.ts";
import type { Intent } from "./understanding.ts";
import { audienceWords, giftWords } from "./word-lists.ts";

/** An intent, and which of its constraints may also apply to other intents of the request. */
export interface ReadIntent extends Intent {
  /** Constraints before the thing: "cheap red tents and mats". */
  leading: Constraints;
  /** Constraints after the thing: "tents and mats under 50". */
  trailing: Constraints;
}

/** Reads one part of a request in which phrases and names have been marked. */
export async function readIntent(
  deps: ThingDeps,
  text: string,
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<ReadIntent> {
  const measures = measuresIn(text);
  const said = withoutMeasures(
    readRoles(text, (mark) => !isProperty(meanings[mark])),
    measures.flat(),
  );
  const roles = said.wishes.some((word) => giftWords.has(word)) ? withoutAge(said) : said;
  const quoted = marksIn(text).flatMap((mark) => meanings[mark]?.quoted?.split(" ") ?? []);
  const { wishes, asksForQuality } = roles;
  const intent =
    roles.thing.length > 0 ? await partOfThing(deps, roles, signal) : await partOfPurpose(deps, roles, text);
  const constraintsOf = (part: string): Constraints =>
    marksIn(part)
      .map((mark) => meanings[mark]?.constraints ?? {})
      .reduce(mergeConstraints, {});
  const attributes = await attributesIn(intent.words, intent.head, deps.textSearch, signal);
  const constraints = {
    ...mergeConstraints(constraintsOf(text), intent.constraints),
    ...(attributes.length > 0 && { attributes: attributes.map(({ name, values }) => ({ name, values })) }),
  };
  const ofAttributes = attributes.flatMap((one) => one.words);
  const isLeft = (word: string): boolean => !ofAttributes.includes(word);
  const words = [...intent.words.filter(isLeft), ...quoted];
  const ofMeasures = measures.flat();
  const isNarrow =
    words.some((word) => !ofMeasures.includes(word)) ||
    intent.kinds !== undefined ||
    narrowing.some((key) => key in constraints);
  const first = isNarrow ? [] : await firstKnown(wishes, deps.textSearch);
  return {
    ...intent,
    requestWords: roles.thing.length > 0 ? roles.thing : intent.words,
    features: intent.features.filter(isLeft),
    ...(measures.length > 0 && { measures }),
    // If there is nothing else to search for, the wishes are searched for.
    words: isNarrow ? words : [...words, ...first],
    wishes: wishes.filter((word) => isNarrow || !first.includes(word)),
    // Nobody wants to give something that buyers rate badly.
    asksForQuality: asksForQuality || wishes.some((word) => giftWords.has(word)),
    constraints,
    ...sharedConstraints(text, roles, constraintsOf),
  };
}

/** "A rug 3 m long" is a rug. */
function withoutMeasures(roles: Roles, measured: readonly string[]): Roles {
  const isMeasure = (word: string): boolean => measured.includes(word);
  const all = [...roles.thing, ...(measured.length > 1 ? roles.purpose : [])].filter(isMeasure);
  const thing = roles.thing.filter((word) => !isMeasure(word));
  const purpose = roles.purpose.filter((word) => !isMeasure(word) || measured.length === 1);
  return { ...roles, thing, purpose, features: [...roles.features, ...all] };
}

/** "Birthday, dad, 60": the number describes no product. A small gift need not be small, but cheap. */
function withoutAge(roles: Roles): Roles {
  const isWord = (word: string): boolean => !/^(?:\d+|small|little|tiny)$/u.test(word);
  const { thing, features, purpose, wishes } = roles;
  return {
    ...roles,
    thing: thing.filter(isWord),
    features: features.filter(isWord),
    purpose: purpose.filter(isWord),
    wishes: wishes.filter(isWord),
  };
}

const narrowing: readonly (keyof Constraints)[] = ["categories", "brands", "stores", "colours", "attributes"];

/** "A birthday present": products described as a gift, in any words. */
async function firstKnown(wishes: readonly string[], { wordFrequency }: TextSearch): Promise<string[]> {
  const others = wishes.some((word) => giftWords.has(word)) ? ["gift", "present"] : [];
  for (const word of [...wishes, ...others]) if ((await wordFrequency(word)) > 0) return [word];
  return [];
}

/** Marks that may be inside a noun phrase: "a wooden black chair", "trail Zephyr shoes". */
function isProperty(meaning: RequestMeaning | undefined): boolean {
  const { constraints = {} } = meaning ?? {};
  return ["colours", "brands"].some((key) => key in constraints) || Object.keys(constraints).length === 0;
}

/** "Keep my coffee hot" is about mugs, and about those that keep it hot. */
const states = new Set("hot warm cold cool dry".split(" "));

type OwnPart = Omit<Intent, "requestWords" | "wishes" | "asksForQuality">;

async function partOfThing(
  deps: ThingDeps,
  { thing, features, purpose }: Pick<Roles, "thing" | "features" | "purpose">,
  signal: AbortSignal,
): Promise<OwnPart> {
  const verb = features.findIndex((word) => /^keeps?$/u.test(word));
  const keeps = verb < 0 ? undefined : features[verb + 1];
  if (keeps !== undefined && states.has(keeps)) {
    const others = features.filter((_, at) => at !== verb && at !== verb + 1);
    const part = { thing, features: others, purpose: [...purpose, keeps] };
    return { ...(await partOfThing(deps, part, signal)), keeps };
  }
  const category = await categoryOf(thing, deps.textSearch);
  if (category !== undefined) {
    const words = [...withoutCategory(thing, category), ...features];
    return { words, features, purpose, constraints: { categories: [category] } };
  }
  // "A watch water resistant": the noun comes first.
  const after = isAdjective(thing.at(-1) ?? "") ? await afterCategory(thing, deps.textSearch) : 0;
  if (after > 0)
    return partOfThing(
      deps,
      { thing: thing.slice(0, after), features: [...thing.slice(after), ...features], purpose },
      signal,
    );
  // "PlayStation 5" is named by its first word.
  const head = thing.findLast((word) => !/^\d+$/u.test(word)) ?? "";
  const intent = { words: [...thing, ...features], features, purpose, head, constraints: {} };
  if (isTopic(head)) return intent;
  const status = await statusOfThing(deps, head, signal);
  if (status === "named") return intent;
  const meant = kindsOfThing(deps, thing);
  if (meant === undefined) return { ...intent, absent: status };
  const { kinds, otherWords } = meant;
  return { words: [...otherWords, ...features], features, purpose, kinds, constraints: {} };
}

type MeantThing = Pick<MeantKinds, "kinds" | "otherWords">;

/** A thing that is not below a name like "furniture" must be nearly the same as the kind: socks are no shoes. */
const nearlySame = 0.66;

/** "Warm clothes" are clothes that are warm; "night stand" has a meaning only as a whole. */
function kindsOfThing({ kindFinder }: ThingDeps, thing: readonly string[]): MeantThing | undefined {
  const meant = (text: string): MeantKinds | undefined => {
    const found = kindFinder?.kindsMeant(text);
    const isSure = found?.isUmbrella || (kindFinder?.kindsNear(text, 1)[0]?.score ?? 0) >= nearlySame;
    return isSure ? found : undefined;
  };
  const whole = meant(thing.join(" "));
  const ofHead = whole && thing.length > 1 ? meant(thing.at(-1) ?? "") : undefined;
  return ofHead ? { kinds: ofHead.kinds, otherWords: thing.slice(0, -1) } : whole;
}

/** If no thing is named, its purpose is searched for, and may tell the kind of thing. */
async function partOfPurpose(deps: ThingDeps, roles: Roles, text: string): Promise<OwnPart> {
  const { textSearch } = deps;
  const { features, wishes } = roles;
  const served = await kindsByMeaning(deps, roles, text);
  if (served !== undefined) {
    const { kinds, words: said } = served;
    const isLeft = (word: string): boolean => !said.includes(word);
    const keeps = said.find((word) => states.has(word));
    return {
      words: features.filter(isLeft),
      features: features.filter(isLeft),
      purpose: [...(keeps === undefined ? [] : [keeps]), ...roles.purpose.filter(isLeft)],
      ...(keeps !== undefined && { keeps }),
      kinds,
      constraints: {},
    };
  }
  const isGift = wishes.some((word) => giftWords.has(word));
  const purpose = await Promise.all(roles.purpose.map((word) => activityOrWord(word, isGift, textSearch)));
  const all = [...features, ...purpose];
  // Where no product says whom it is for, a gift for a child is like one for a friend.
  const isNamed = await Promise.all(all.map(async (word) => (await textSearch.wordFrequency(word)) > 0));
  const words = isGift ? all.filter((word, at) => isNamed[at] === true || !audienceWords.has(word)) : all;
  return { words, features: words, purpose: [], constraints: {} };
}

/** "A gift for a runner" is about running, unless the catalog sells runners. */
async function activityOrWord(word: string, isGift: boolean, textSearch: TextSearch): Promise<string> {
  return (await (isGift ? activityOf : knownActivity)(word, textSearch)) ?? word;
}

/** How many of the first words name a category; 0 if none do. */
async function afterCategory(thing: readonly string[], textSearch: TextSearch): Promise<number> {
  for (let count = thing.length - 1; count > 0; count--)
    if ((await categoryOf(thing.slice(0, count), textSearch)) !== undefined) return count;
  return 0;
}

/** The category that the noun names: "blue table lamp" is in Lamps, "lamp table" is not. */
async function categoryOf(thing: readonly string[], textSearch: TextSearch): Promise<string | undefined> {
  const text = thing.join(" ");
  const names = await textSearch.categoriesNamedIn(text);
  return names.find((name) => ` ${comparable(text)}`.endsWith(` ${lastStep(name)}`));
}

function withoutCategory(words: readonly string[], category: string): string[] {
  const named = new Set(lastStep(category).split(" "));
  return words.filter(
    (word) =>
      !comparable(word)
        .split(" ")
        .every((part) => named.has(part)),
  );
}

function sharedConstraints(
  text: string,
  { thing, features, purpose }: Roles,
  constraintsOf: (part: string) => Constraints,
): Pick<ReadIntent, "leading" | "trailing"> {
  const words = [...thing, ...features, ...purpose];
  const positions = words.map((word) => text.lastIndexOf(word));
  const start = words.length === 0 ? 0 : Math.max(0, Math.min(...words.map((word) => text.indexOf(word))));
  return {
    leading: constraintsOf(text.slice(0, start)),
    trailing: constraintsOf(text.slice(Math.max(0, ...positions))),
  };
}

/** What "a runner" or "a cyclist" does, in words that products use; undefined if no product uses them. */
async function activityOf(
  word: string,
  { wordFrequency }: Pick<TextSearch, "wordFrequency">,
): Promise<string | undefined> {
  for (const candidate of candidatesFor(word)) {
    if ((await wordFrequency(candidate)) > 0) return candidate;
  }
  return undefined;
}

/** "runner" → running, run; "hiker" → hiking, hike; "guitarist" → guitaring, guitar. */
function candidatesFor(word: string): string[] {
  const [, base] = /^(\p{L}{2,}?)(?:ers?|ors?|ists?)$/u.exec(word) ?? [];
  if (base === undefined) return [];
  const single = base.replace(/([^aeiou])\1$/u, "$1");
  return [...new Set([`${base}ing`, base, `${base}e`, single])].filter(({ length }) => length > 2);
}

/** Things that serve a purpose, and the words of the request for it. */
interface KindsForPurpose {
  kinds: readonly NamedKind[];
  words: readonly string[];
}

/** What is done with a thing tells its kind, and so does a word that no product has. Words of products are searched for. */
async function kindsByMeaning(
  { kindFinder, textSearch }: ThingDeps,
  { verbs, purpose, features }: Pick<Roles, "verbs" | "purpose" | "features">,
  text: string,
): Promise<KindsForPurpose | undefined> {
  // Whom a thing is for tells no kind, and neither does its size.
  const words = [...features, ...purpose].filter((word) => !audienceWords.has(word) && !isSizeWord(word));
  if (words.length === 0) return undefined;
  const [only = ""] = words;
  // "Anything for the garden" is of that level of categories.
  const [level] =
    words.length === 1 && !verbs.includes(only) ? (kindFinder?.kindsMeant(only)?.kinds ?? []) : [];
  if (level !== undefined && comparable(level.name) === comparable(only)) return { kinds: [level], words };
  const known: string[] = [];
  for (const word of words) if ((await knownActivity(word, textSearch)) !== undefined) known.push(word);
  if (known.length === words.length && verbs.every((verb) => verb.endsWith("ing"))) return undefined;
  const meant = kindFinder?.kindsMeant(withoutMarks(text));
  if (meant === undefined) return undefined;
  // What keeps tea warm need not speak of tea.
  const isState = words.some((word) => states.has(word));
  return {
    kinds: meant.closest,
    words: words.filter(
      (word) =>
        verbs.includes(word) ||
        states.has(word) ||
        !known.includes(word) ||
        (isState && meant.meantWords.includes(word)),
    ),
  };
}

/** The word, or what "a runner" does, if products have it. */
async function knownActivity(word: string, textSearch: TextSearch): Promise<string | undefined> {
  return (await textSearch.wordFrequency(word)) > 0 ? word : activityOf(word, textSearch);
}

/** The name of a category without its path: "Lamps" of "Home > Lamps". */
function lastStep(category: string): string {
  return comparable(category.split(">").at(-1) ?? category);
}
