import type { Constraints } from "../../../domain/query-understanding/constraints.ts";
import { mergeConstraints } from "../../../domain/query-understanding/merge-constraints.ts";
import type { TextSearch } from "../../../ports/text-search.ts";
import { activityOf } from "./agents.ts";
import { type Kinds, kindsForPurpose, kindsInCatalog, lastStep } from "./kinds.ts";
import { type Roles, readRoles } from "./read-roles.ts";
import { marksIn, type RequestMeaning } from "./request-meaning.ts";
import { comparable } from "./same-word.ts";
import { isTopic, statusOfThing, type ThingDeps } from "./things.ts";
import type { Intent } from "./understanding.ts";
import { giftWords, groups } from "./word-lists.ts";

/** A want, and which of its constraints may hold for other intents of the request too. */
export interface ReadIntent extends Intent {
  /** Said before the thing: "cheap red tents and mats". */
  leading: Constraints;
  /** Said after it: "tents and mats under 50". */
  trailing: Constraints;
}

/** Reads one part of the request, in which phrases and names are marked already. */
export async function readIntent(
  deps: ThingDeps,
  text: string,
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<ReadIntent> {
  const roles = readRoles(text, (mark) => !isProperty(meanings[mark]));
  const quoted = marksIn(text).flatMap((mark) => meanings[mark]?.quoted?.split(" ") ?? []);
  const { wishes, asksForQuality } = roles;
  const intent =
    roles.thing.length > 0
      ? await wantOfThing(deps, roles, signal)
      : await wantOfPurpose(deps, roles, signal);
  const constraintsOf = (part: string): Constraints =>
    marksIn(part)
      .map((mark) => meanings[mark]?.constraints ?? {})
      .reduce(mergeConstraints, {});
  const constraints = mergeConstraints(constraintsOf(text), intent.constraints);
  const words = [...intent.words, ...quoted];
  const isNarrow =
    words.length > 0 || intent.kinds !== undefined || narrowing.some((key) => key in constraints);
  const first = isNarrow ? [] : await firstKnown(wishes, deps.textSearch);
  return {
    ...intent,
    // Where nothing else is asked for, wishes are what there is to search for.
    words: isNarrow ? words : first,
    wishes: wishes.filter((word) => isNarrow || !first.includes(word)),
    asksForQuality,
    constraints,
    ...sharedConstraints(text, roles, constraintsOf),
  };
}

const narrowing: readonly (keyof Constraints)[] = ["categories", "brands", "stores", "colours"];

/** "A birthday present": what is described as a gift, whichever word the descriptions use. */
async function firstKnown(wishes: readonly string[], { wordFrequency }: TextSearch): Promise<string[]> {
  const others = wishes.some((word) => giftWords.has(word)) ? ["gift", "present"] : [];
  for (const word of [...wishes, ...others]) if ((await wordFrequency(word)) > 0) return [word];
  return [];
}

/** Marks that may stand inside a noun phrase: "a wooden black chair", "trail Zephyr shoes". */
function isProperty(meaning: RequestMeaning | undefined): boolean {
  const { constraints = {} } = meaning ?? {};
  return ["colours", "brands"].some((key) => key in constraints) || Object.keys(constraints).length === 0;
}

type OwnPart = Omit<Intent, "wishes" | "asksForQuality">;

async function wantOfThing(
  deps: ThingDeps,
  { thing, features, purpose }: Roles,
  signal: AbortSignal,
): Promise<OwnPart> {
  const category = await categoryOf(thing, deps.textSearch);
  if (category !== undefined) {
    const words = [...withoutCategory(thing, category), ...features];
    return { words, features, purpose, constraints: { categories: [category] } };
  }
  const head = thing.at(-1) ?? "";
  const group = groups.get(comparable(head));
  const kinds = group && (await kindsInCatalog(deps, group, signal));
  if (kinds !== undefined)
    return { words: [...thing.slice(0, -1), ...features], features, purpose, ...ofKinds(kinds) };
  const intent = { words: [...thing, ...features], features, purpose, head, constraints: {} };
  if (isTopic(head)) return intent;
  const status = await statusOfThing(deps, head, signal);
  return status === "named" ? intent : { ...intent, absent: status };
}

function ofKinds({ categories, nouns }: Kinds): Pick<OwnPart, "kinds" | "constraints"> {
  return {
    ...(nouns.length > 0 && { kinds: nouns }),
    constraints: categories.length > 0 ? { categories } : {},
  };
}

/** No thing is named: what it is for must do, and may tell the kinds of things. */
async function wantOfPurpose(deps: ThingDeps, roles: Roles, signal: AbortSignal): Promise<OwnPart> {
  const { textSearch } = deps;
  const { features, wishes } = roles;
  const kinds = await kindsForPurpose(deps, roles, signal);
  if (kinds !== undefined) {
    const isLeft = (word: string): boolean => !kinds.said.includes(word);
    return {
      words: features.filter(isLeft),
      features: features.filter(isLeft),
      purpose: roles.purpose.filter(isLeft),
      ...ofKinds(kinds),
    };
  }
  const isGift = wishes.some((word) => giftWords.has(word));
  const purpose = await Promise.all(roles.purpose.map((word) => activityOrWord(word, isGift, textSearch)));
  const words = [...features, ...purpose];
  return { words, features: words, purpose: [], constraints: {} };
}

/** "A gift for a runner" is about running, unless runners are things of this catalog. */
async function activityOrWord(word: string, isGift: boolean, textSearch: TextSearch): Promise<string> {
  if (!isGift && (await textSearch.wordFrequency(word)) > 0) return word;
  return (await activityOf(word, textSearch)) ?? word;
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
