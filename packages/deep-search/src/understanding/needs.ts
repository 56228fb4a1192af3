import { giveWay } from "@product-search/core/mechanisms/fair-queue.ts";
import type { NamedKind, ScoredKind } from "@product-search/core/ports/kind-finder.ts";
import { unlessUsedUp } from "../reading.ts";
import { filtersOf } from "../retrieval/find-intent.ts";
import { comparable } from "./colours.ts";
import { conversationTopic } from "./conversation/topics.ts";
import { contentWords } from "./phrases/offer-phrases.ts";
import type { ThingDeps } from "./things.ts";
import { emptyIntent, type Intent } from "./understanding.ts";
import {
  audienceWords,
  enthusiastWords,
  opinionWords,
  peopleWords,
  qualityWords,
  roomWords,
} from "./word-lists.ts";

/** What somebody begins, equips or prepares: "starting to run", "furnishing my first flat". What follows says for what. */
const beginning =
  /(?<!n't |\b(?:cannot|not|never) )\b(?:(?:start|begin)(?:s|ing|ning|ed)? (?:to |with )?(?:play(?:ing)? )?|tak(?:e|es|ing) up |get(?:s|ting)? (?:into|started (?:with|in)) |learn(?:s|ing)? (?:how )?(?:to )?(?:play )?|set(?:s|ting)? up |furnish(?:es|ing)? |decorat(?:e|es|ing) |equip(?:s|ping)? |(?:fit|kit|outfit)(?:s|ting)? out |mov(?:e|es|ed|ing) (?:in to|into|to) |prepar(?:e|es|ing) for |pack(?:s|ing)? for |go(?:es|ing)? (?:on|to) (?:the |an? )?|new to )/u;
const ready = /\bready for /u;
const list =
  /\b(?:everything|all|what|things|stuff|essentials|equipment|gear|supplies)\b(?: (?:that )?(?:(?:do|would|should|will) )?i(?:'ll)?(?: will| would)? (?:need|want|buy|get|bring|pack|take))?(?: to (?:buy|bring|pack|take))? (?:for|to) /u;

/** "For 900" at the end of a need is all that it may cost. */
const budget =
  /,? (?:for|with|on|(?:and )?(?:i )?(?:have|got|can spend)|my budget is|budget(?: of| is)?) ?(?:about |around |under )?(\d{2,}(?:\.\d+)?)¤?[ ,]*$/u;

export interface Need {
  /** What it is about: "running". */
  about: string;
  /** The text with its budget as an upper limit. */
  text: string;
  /** The place to furnish, which might be a thing: "desk". */
  place?: string;
}

const maxPlaceWords = 3;

/** A sentence of needs; undefined for others. Whether a product is named is for the caller to see. */
export function readNeed(request: string): Need | undefined {
  const text = request.replace(budget, ", under $1¤");
  const match = [list, ready, beginning].map((pattern) => pattern.exec(text)).find((one) => one !== null);
  if (match) return { about: text.slice(match.index + match[0].length), text };
  const [sentence = ""] = text.split(/ ?, /u);
  const words = contentWords(sentence);
  const place = words.at(-1);
  const isPlace = place !== undefined && words.length <= maxPlaceWords && roomWords.has(comparable(place));
  return isPlace && !inside.test(sentence) && !subject.test(sentence)
    ? { about: sentence, text, place }
    : undefined;
}

/** "A home office" is to be furnished; in "a lamp for the office", a lamp is wanted. */
const inside = /\b(?:for|in|on|at|by|to|with|of|from|under|without)\b/u;

/** What sets a clause apart that tells something about people or their things: "my back hurts", "she is into gardening". */
const subject =
  /^(?:(?:and|but|so|if|because|since|as|when|well|ok|okay|hey|hi|hello|um|basically|honestly|actually|also) )*(?:(?:i|we|he|she|they|it)(?:'[a-z]+)? \p{L}|(?:my|our|his|her|their) (?!\p{L}+$)|the \p{L}.* (?:me|us)\b|the \p{L}[\p{L} ]* (?:is|are|gets?|keeps?) [\p{L} ]+$)/u;
/** A clause that says what is wanted, or what it must be. */
const wanted =
  /\b(?:want|need|looking|search|searching|prefer|(?:to|can|could|will) (?:spend|pay)|budget|size|meant?|said|should|must|would|hate|dislike|don't like|(?:to|please|i|we|can|could) (?:get|see|have|find|buy|order|take)|(?:i|we) (?:really |also |just )?(?:love|like|wear|am after)|i'm after|it(?:'s| is| has))\b|'d (?:like|love)\b|¤/u;
const clauseEnd =
  / ?, ?(?:and |but |so |because |since )?| (?:and|but|so|because|since) (?=(?:i|we|he|she|they|my|our|his|her|their)\b)|(?<=\bfor (?:(?:my|our|an?) [\p{L} ]+|some\p{L}+|any\p{L}+)) (?=who )/u;

/** "My mother in law, she loves her garden": the next clause tells about the person. */
function isPerson(clause: string, next = ""): boolean {
  return person.test(clause) && /^(?:who|he|she|they|an?|the) /u.test(next);
}

const person =
  /^(?:(?:i|we)(?:'m|'re| am| are)? (?:\p{L}+ ){1,2})?(?:(?:something|anything|it's|this is|(?:an? )?(?:\p{L}+ )?(?:gift|present)) )?(?:(?:for )?(?:my|our)|for an?|for(?= (?:some|any)\p{L}+$)) [\p{L}' -]+$/u;

/** "What could I give him?" says no more than that something is wanted. */
const asksWhatToGive =
  /^(?:(?:any|some) (?:ideas?|suggestions?|tips?)\b.*|what (?:can|could|should|would|do|might) (?:i|we|you|he|she|they|one) (?:give|get|buy|like|want|need|enjoy|use|suggest|recommend)\b.*)$/u;

/** The clauses of a text: those that tell a situation, and the others. */
export function clausesOf(text: string): { told: string[]; others: string[]; isPolite: boolean } {
  const all = text.split(clauseEnd).filter((clause) => clause.trim() !== "");
  const isWord = (clause: string): boolean => !/^(?:greeting|thanks)$/u.test(conversationTopic(clause) ?? "");
  const clauses = all.filter(isWord);
  const isTold = (clause: string, at: number): boolean =>
    (subject.test(clause) && !wanted.test(clause)) ||
    isPerson(clause, clauses[at + 1]) ||
    (/^(?:an?|who|the) /u.test(clause) && isPerson(clauses[at - 1] ?? "", clause));
  const others = clauses.filter((clause, at) => !isTold(clause, at) && !asksWhatToGive.test(clause));
  return {
    told: clauses.filter(isTold),
    others,
    isPolite: clauses.length > 0 && (clauses.length < all.length || others.length < clauses.length),
  };
}

/** A question how to do something or what helps: what follows tells the need. Not one about the shop itself. */
const needQuestion =
  /^(?:(?:so|and|but|well|hi|hello|hey|ok|okay|please)[ ,]+)*(?:how (?:do|does|can|could|should|would|to)(?: (?:i|we|one|you|people|somebody|someone))?(?: best)?|what (?:(?:could |can |would |might )?helps?|keeps?|(?:can|could|should|do|would) (?:i|we|one) (?:do|need|use|wear|take|bring)(?: about| against| for| to)?)|where (?:do|can|could|should) (?:i|we)(?= (?:put|keep|store|hang|sit|place)\b)) (?:me |us |if i |(?:i|we) (?:want|need) to )?(?<need>.+)$/u;
const aboutShop =
  /\b(?:compare|differ|orders?|ordering|contact|account|sign|log|discount|coupon|vouchers?|you|your|it|this|that|they|them|these|those)\b/u;

/** The need of a question such as "how do I keep my coffee hot?", whatever is asked how. */
export function needAsked(text: string): string | undefined {
  const { need } = needQuestion.exec(text.replace(/[\s,?!.]+$/u, ""))?.groups ?? {};
  return need === undefined || aboutShop.test(need) ? undefined : need;
}

/** Whether a place is also a thing that the shop has: "desk". */
export function isKind(place: string, { kindFinder }: Pick<ThingDeps, "kindFinder">): boolean {
  const near = kindFinder?.kindsNear(place, maxPlaceKinds) ?? [];
  return near.some(({ kind }) => ` ${comparable(kind.name)}`.endsWith(` ${comparable(place)}`));
}

const maxPlaceKinds = 5;

/** How near a clause must be to a kind if its words find something, or nothing; and how much farther other kinds may be. */
export const leastTold = { same: 0.95, found: 0.45, nothing: 0.285 } as const;
const mostFarther = 0.06;

/** Who does something says little about what helps. */
const whoever = /^(?:i|we|he|she|they|who)(?:'[a-z]+)? (?:(?:is|are|am) )?/u;

/** What helps in a situation: the kinds with a near meaning, at most one of a category. */
export async function thingsHelping(
  { kindFinder }: Pick<ThingDeps, "kindFinder">,
  told: readonly string[],
  leastScore: number,
): Promise<Intent[]> {
  const near: ScoredKind[] = [];
  for (const part of told.flatMap((clause) => clause.split(/ (?:and|but|or) /u))) {
    // What a part means takes some milliseconds.
    await giveWay();
    near.push(...(kindFinder?.kindsNear(part.replace(whoever, ""), maxNearest) ?? []));
  }
  near.sort((one, other) => other.score - one.score);
  const least = Math.max(leastScore, (near[0]?.score ?? 0) - mostFarther);
  const kinds = near.filter(({ score }) => score >= least).map(({ kind }) => kind);
  return [...new Map(kinds.toReversed().map((kind) => [kind.category, kind])).values()]
    .toReversed()
    .slice(0, maxProposed)
    .map((kind) => ({ ...emptyIntent, kinds: [kind] }));
}

const maxProposed = 5;
const maxNearest = 40;
const maxTopics = 3;
const allCategories = 100;
/** Shares of a category that mention the topic. One product of many says little. */
const leastShare = 0.05;
/** How near a kind must be whose products do not mention the topic: where few do, and where several do. */
const leastScores = { unmentioned: 0.22, mentioned: 0.34 } as const;
/** More than this share says no more: a category may have one kind of thing. */
const mostShare = 0.3;
const nearBest = 0.6;
const mentionScore = 0.35;
const leastMeant = 0.17;
const enoughMentioned = 2;

export interface NeedText {
  /** The whole sentence, without phrases that were read before. */
  text: string;
  /** What it is about. */
  about: string;
  /** Where the sentence names what stands above kinds, such as furniture: those kinds. */
  within: readonly NamedKind[];
}

interface Proposal {
  kind: NamedKind;
  words: readonly string[];
  score: number;
}

/**
 * Kinds of product for a need, at most one of a category: those whose products mention the topic, and those with a near
 * meaning.
 */
export async function proposeKinds(
  deps: ThingDeps,
  { text, about, within }: NeedText,
  signal: AbortSignal,
): Promise<Intent[]> {
  const isOffered = ({ category }: NamedKind): boolean =>
    within.length === 0 || within.some((kind) => kind.category === category);
  const topics = contentWords(about).filter(isTopic);
  const mentioned: ReadonlyMap<string, Mention> =
    within.length > 0 ? new Map() : await mentionedCategories(deps, topics, signal);
  const nearest = (deps.kindFinder?.kindsNear(text, maxNearest) ?? []).filter(({ kind }) => isOffered(kind));
  const known = [...mentioned].map(([category, mention]) => {
    const meant = nearest.find(({ kind }) => kind.category === category)?.score ?? 0;
    return { category, ...mention, meant };
  });
  // A word of the topic may have another meaning: "corner" in a chair for reading corners, and in "rounded corners".
  const sure = known.filter(({ isWhole, meant }) => isWhole || meant >= leastMeant);
  const proposals = new Map<string, Proposal>();
  for (const { category, word, share, meant } of sure.length > 0 ? sure : known) {
    const score = mentionScore + Math.min(share, mostShare) + meant;
    proposals.set(category, { kind: { name: category, category, words: "" }, words: word.split(" "), score });
  }
  const [best] = nearest;
  const least =
    proposals.size >= enoughMentioned
      ? leastScores.mentioned
      : Math.max(leastScores.unmentioned, nearBest * (best?.score ?? 0));
  for (const { kind, score } of nearest)
    if (score >= least && !proposals.has(kind.category))
      proposals.set(kind.category, { kind, words: [], score });
  return [...proposals.values()]
    .toSorted((one, other) => other.score - one.score)
    .slice(0, maxProposed)
    .map(toIntent);
}

function isTopic(word: string): boolean {
  const lists = [peopleWords, audienceWords, opinionWords, qualityWords, enthusiastWords];
  return !/\d/u.test(word) && !lists.some((words) => words.has(word)) && !countWords.has(comparable(word));
}

export const countWords = new Set("first second next last time week month year".split(" "));

function toIntent({ kind, words }: Proposal): Intent {
  return { ...emptyIntent, words, kinds: [kind] };
}

/** As many of the first proposals as can be bought together: one of each, the cheapest. At least one. */
export async function affordable(
  { textSearch, catalogStore }: ThingDeps,
  intents: readonly Intent[],
  budgetMinor: number,
  signal: AbortSignal,
): Promise<readonly Intent[]> {
  const query = { sort: "price", order: "asc", offset: 0, limit: 1, everyWord: true } as const;
  const chosen: Intent[] = [];
  let left = budgetMinor;
  for (const intent of intents) {
    const cheapestFirst = { ...query, text: intent.words.join(" "), filters: filtersOf(intent) };
    const hits = await unlessUsedUp(() => textSearch.search(cheapestFirst, signal), undefined);
    const [cheapest] = await catalogStore.findByRowIds(hits?.rowIds ?? []);
    if (cheapest === undefined || cheapest.priceMinor > left) continue;
    left -= cheapest.priceMinor;
    chosen.push(intent);
  }
  return chosen.length > 0 ? chosen : intents.slice(0, 1);
}

interface Mention {
  /** The whole topic, or one word of it. */
  word: string;
  isWhole: boolean;
  share: number;
}

/** Categories with products that mention the whole topic; if there are less than two, single words of it. */
async function mentionedCategories(
  { textSearch }: ThingDeps,
  topics: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Mention>> {
  const categoriesWith = async (text: string): Promise<ReadonlyMap<string, number>> => {
    const query = { text, filters: { source: "catalog" }, sort: "relevance", offset: 0, limit: 1 } as const;
    const facets = { names: ["categories"], maxValues: allCategories } as const;
    const hits = await unlessUsedUp(
      () => textSearch.search({ ...query, facets, everyWord: true }, signal),
      undefined,
    );
    if (hits === undefined || hits.correctedText !== undefined) return new Map();
    return new Map(hits.facets?.categories.map(({ value, count }) => [value, count]));
  };
  const found = new Map<string, Mention>();
  if (topics.length === 0) return found;
  const totals = await categoriesWith("");
  const texts = topics.length > 1 ? [topics.join(" "), ...topics.slice(-maxTopics)] : topics;
  for (const word of texts) {
    const isWhole = word === topics.join(" ");
    for (const [category, count] of await categoriesWith(word)) {
      const share = count / (totals.get(category) ?? count);
      if (share >= leastShare && !found.has(category)) found.set(category, { word, share, isWhole });
    }
    if (word.includes(" ") && found.size > 1) break;
  }
  return found;
}
