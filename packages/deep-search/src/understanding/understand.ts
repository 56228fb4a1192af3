import { toMinor } from "@product-search/core/domain/price/money.ts";
import {
  letter,
  markPhrases,
  mergeConstraints,
  normalise,
  type Phrase,
  phrase,
  traceText,
} from "@product-search/core/domain/query-understanding/phrase-table.ts";
import {
  measurePhrases,
  namesOtherCurrency,
  negationPhrases,
  orderPhrases,
  pricePhrases,
  ratingPhrases,
  spokenNegationPhrases,
  spokenOrderPhrases,
  spokenPricePhrases,
} from "@product-search/core/domain/query-understanding/phrases.ts";
import { readUnits } from "@product-search/core/domain/query-understanding/read-filters.ts";
import { giveWay } from "@product-search/core/mechanisms/fair-queue.ts";
import type { NamedKind } from "@product-search/core/ports/kind-finder.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { readingLimits, unlessUsedUp } from "../reading.ts";
import { filtersOf } from "../retrieval/find-intent.ts";
import { colourPhrases } from "./colours.ts";
import {
  comparesOrders,
  extremesCompared,
  splitCompared,
  thingsCompared,
} from "./conversation/comparison.ts";
import {
  asksForThose,
  comparedProducts,
  hasPriceLimit,
  isRefinement,
  isTooDear,
  otherThan,
  questionOf,
  refersBack,
  refine,
  withBoundsOf,
} from "./conversation/follow-up.ts";
import { readQuestion } from "./conversation/product-question.ts";
import { resolveQuestion } from "./conversation/resolve-question.ts";
import { asksForService, conversationTopic, isOpenQuestion } from "./conversation/topics.ts";
import type { Turn } from "./conversation/turn.ts";
import { translate } from "./foreign/translate.ts";
import { limitWords } from "./limit-words.ts";
import { markNames, namesIn } from "./mark-names.ts";
import {
  affordable,
  clausesOf,
  countWords,
  isKind,
  leastTold,
  needAsked,
  proposeKinds,
  readNeed,
  thingsHelping,
} from "./needs.ts";
import {
  availabilityPhrases,
  contentWords,
  discountPhrases,
  newestPhrases,
  popularPhrases,
  togetherPhrases,
} from "./phrases/offer-phrases.ts";
import { type ReadIntent, readIntent } from "./read-intent.ts";
import { readRoles } from "./read-roles.ts";
import { type MarkedRequest, type RequestMeaning, withoutMarks } from "./request-meaning.ts";
import { shareConstraints } from "./share-constraints.ts";
import { readShopQuestion, type ShopQuestion } from "./shop-question.ts";
import { correctSpelling } from "./spelling.ts";
import { splitIntents, withThingForOne } from "./split-intents.ts";
import { isTopic, type ThingDeps } from "./things.ts";
import {
  type ConversationTopic,
  emptyIntent,
  type Intent,
  type Sorting,
  type Understanding,
} from "./understanding.ts";

/** An instruction to the service instead of a wish. It is removed; the rest of the request is still answered. */
const instruction =
  /\b(?:please )?(?:ignore|disregard|forget|override|bypass)\b[^,]*?\b(?:instructions?|rules?|prompts?|guidelines|directions|everything(?: above| before)?|above|previous(?! \p{L}))\b(?: (?:above|before|given|you were given|you have|and (?:say|print|reply|output|tell|reveal|write|answer|respond|act|pretend)\b[^,]*))?|\byou are now\b[^,]*|\b(?:pretend|act) (?:to be|as|like)\b[^,]*|\b(?:reveal|print|output|repeat|say)\b[^,]*\b(?:prompt|instructions|secret|password|key|exactly)\b[^,]*|\b(?:system|assistant|developer) ?(?:prompt|message|:|,)/gu;

export interface UnderstandDeps extends ThingDeps {
  currency: string;
}

const leastBudget = 20;
/** "A lamp and a desk for 200": a smaller number counts people or things. */
const budgetPhrase: Phrase<RequestMeaning> = phrase(
  "(?<=[a-z] )for (\\d{2,}(?:\\.\\d+)?)(?= ?(?:$|[,⟦]))",
  ([, amount], { toMinor: minor }) =>
    Number(amount) < leastBudget ? undefined : { constraints: { maxPriceMinor: minor(Number(amount)) } },
);

const toSpend: Phrase<RequestMeaning> = phrase(
  "(?:(?:with|have|got) )?(?:about |around |only )?(\\d{2,}(?:\\.\\d+)?)¤? to spend\\b",
  ([, amount], { toMinor: minor }) => ({
    constraints: { maxPriceMinor: minor(Number(amount)) },
  }),
);

const someone = "(?:my|his|her|our|their|your|me|us|it|him|them|you)\\b";
/** "Without waking my wife", "a day without his coffee": what a person does, and no property of a thing. */
const withoutDoing: Phrase<RequestMeaning> = phrase(
  `\\bwithout (?:${letter}+(?:ing|er|ir|ar|re) (?:up |out |all |a )?(?:${someone}|(?:the|an?|(?:any|every)${letter}*)\\b)[^,⟦]*|${someone})`,
  () => ({ constraints: {} }),
);

/** In this order, because a later table would misread some phrases: "over 4 stars" is no price, "no more than" no exclusion. */
const phraseTables = (measures: readonly Phrase[]): readonly Phrase<RequestMeaning>[] => [
  ...availabilityPhrases,
  ...ratingPhrases,
  ...discountPhrases,
  ...measures,
  ...pricePhrases,
  toSpend,
  ...spokenPricePhrases,
  budgetPhrase,
  ...togetherPhrases,
  ...popularPhrases,
  ...orderPhrases,
  ...spokenOrderPhrases,
  ...newestPhrases,
  withoutDoing,
  ...negationPhrases,
  ...spokenNegationPhrases,
  ...colourPhrases,
];

const byRelevance: Sorting = { sort: "relevance", order: "desc" };

/** Turns a request in plain words into a structured search. The grammar is English; the index knows the product words. */
export async function understand(
  deps: UnderstandDeps,
  request: string,
  signal: AbortSignal,
  turn?: Turn,
): Promise<Understanding> {
  const { traced, meanings } = normalise(
    request
      .replace(forDigit, "for")
      .replace(now, "")
      .replace(inLaw, "")
      .replace(by, " x ")
      .replace(oneUnit, "1"),
  );
  const names = await namesIn(request, deps.textSearch);
  const plain = withoutInstructions(traced.text);
  const translated = await translate(plain, names, deps.textSearch);
  const { language } = translated;
  const { text, typed } =
    language === undefined ? await correctSpelling(plain, names, deps, signal) : translated;
  const read = withoutCorrection(text.replace(swap, "small gift").replace(noLimit, ""), turn);
  await giveWay();
  const sources = language === undefined ? new Map() : typed;
  const understanding = await readText(
    deps,
    request,
    { text: read, typed: sources, meanings },
    signal,
    turn && noLimit.test(text) ? withoutLimit(turn) : turn,
  );
  return {
    ...understanding,
    ...(typed.size > 0 && { typed }),
    ...(language !== undefined && { language, typed }),
    ...(language === undefined && typed.size > 0 && { isCorrected: true }),
  };
}

/** "Searching 4 a backpack". */
const forDigit = /(?<=\p{L} )4(?= (?:an?|my|the)\b)/giu;
/** "A rug of 2 by 3 metres", "a bottle of one litre". */
const by = /(?<=\d) by (?=\d)/giu;
const oneUnit = /\bone(?=[ -](?:lit(?:re|er)|met(?:re|er)|kilo|person|inch|foot)\b)/giu;
/** Where small gifts are drawn by lot, whoever gets them. */
const swap =
  /\b(?:(?:we're|we are|i'm) \p{L}+ing (?:an? )?)?(?:secret santa|white elephant|kris kringle|stocking (?:filler|stuffer)s?)\b(?: (?:gifts?|presents?|ideas?|game))*(?: (?:at|in|with|for|among) (?:the|our|my) (?:office|work|team|class|colleagues|coworkers|friends|family))?/gu;
const inLaw = /(?<=\b(?:mother|father|parent|sister|brother|daughter|son)s?)[ -]in[ -]laws?\b/giu;
const now = /\b(?:this|next|last) (?:week|weekend|month|year)\b/giu;

/** "Forget the price": its limit no longer holds. */
const noLimit =
  /\b(?:forget|never mind|regardless of|no matter|whatever|ignore) (?:about )?(?:the |my )?(?:price|budget|cost)\b[ ,]*/u;

function withoutLimit(turn: Turn): Turn {
  const intents = turn.intents.map((intent) => {
    const { minPriceMinor: _, maxPriceMinor: __, ...constraints } = intent.constraints;
    return { ...intent, constraints };
  });
  return { ...turn, intents };
}

/** "No, black ones", "sorry, I meant for kids": what follows changes the last request. But "no leather" excludes. */
const correction =
  /^(?:no(?= ?,| (?:i|we|the|in|for|sorry|wait|actually|rather|make|let|thanks?)\b)[ ,]*|(?:nope|nah|sorry|oops|wait|hmm|well|actually|rather|instead|please)\b(?! (?:more|less|longer|other))[ ,]*|(?:i|we) (?:actually |really )?(?:meant?|wanted|was looking for|were looking for|said|need)\b[ ,]*|(?:make|let) (?:it|that|them)(?: be)?\b[ ,]*)+/u;

function withoutCorrection(text: string, turn: Turn | undefined): string {
  if (turn === undefined) return text;
  const rest = text
    .replace(correction, "")
    .replace(/^(?:(?:and|so) )?(?:what|how) about (?=(?:for|in|with|without|from|under|over)\b)/u, "and ");
  const [, amount] = newLimit.exec(rest) ?? [];
  if (amount !== undefined && turn.intents.some(hasPriceLimit)) return `under ${amount}¤`;
  return rest === "" ? text : rest;
}

/** After a request with a price limit, a number is another limit: "make it 200". */
const newLimit =
  /^(?:more like |rather |say )?(\d+(?:\.\d+)?)(?: ?¤)?(?: (?:max|instead|then|please|tops))*[ ,]*$/u;

interface TranslatedRequest extends MarkedRequest {
  typed: ReadonlyMap<string, string>;
}

async function readText(
  deps: UnderstandDeps,
  request: string,
  { text, typed, meanings }: TranslatedRequest,
  signal: AbortSignal,
  turn: Turn | undefined,
): Promise<Understanding> {
  const extremes = await readExtremes(deps, request, text, meanings, signal);
  if (extremes !== undefined) return extremes;
  await giveWay();
  if (turn !== undefined && turn.intents.length > 0 && isTooDear(`${text} ${request.toLowerCase()}`))
    return refine(turn, { intents: [], sorting: byRelevance }, "cheaper");
  const about = await readAboutProducts(deps, text, turn, signal);
  const isOfProduct = about?.referred !== undefined || about?.question?.product !== undefined;
  if (!isOfProduct && asksForService(text)) return conversation("question");
  if (about !== undefined) return { intents: [], sorting: byRelevance, ...about };
  await giveWay();
  const others = turn && (await otherThan(turn, text));
  if (others !== undefined) return others;
  const shop = readShopQuestion(text);
  if (shop !== undefined && contentWords(shop.rest).every((word) => wholeShop.has(word)))
    return aboutWhole(shop, turn);
  const told = shop === undefined && !(turn && refersBack.test(text)) ? clausesOf(text) : undefined;
  const read =
    (await readNeedQuestion(deps, request, text, meanings, signal)) ??
    (await readNeedOf(deps, request, text, meanings, signal)) ??
    (told && (await readSituation(deps, request, text, told, meanings, signal))) ??
    (await readRequestOrMeaning(deps, request, shop?.rest ?? text, meanings, signal));
  const bounded = asksForSmall(text, read) ? await withSmallPrice(deps, read, signal) : read;
  const own = withQuestion(await withTypedWords(bounded, typed, deps.textSearch), shop);
  if (turn === undefined || turn.intents.length === 0) return own;
  if (isRefinement(own, shop?.rest ?? text)) return withQuestion(await refine(turn, own, text), shop);
  return /^(?:and|or|what about|how about)\b/u.test(text) && own.intents.length > 0
    ? withBoundsOf(turn, own)
    : own;
}

/** "Any small present": nothing else says what it is. */
function asksForSmall(text: string, { intents, compares }: Understanding): boolean {
  return (
    intents.length > 0 &&
    !compares &&
    !intents.some(namesThing) &&
    !intents.some(hasPriceLimit) &&
    smallPresent.test(text)
  );
}

const smallPresent =
  /\b(?:small|little|tiny|modest) (?:[\p{L}-]+ ){0,2}(?:gifts?|presents?|souvenirs?|tokens?|surprises?|something|things?)\b|\b(?:something|anything) (?:small|little|tiny)\b|\blittle something\b|\btoken (?:of|for)\b/u;

/** A small present costs no more than a quarter of the products do: a bicycle is none, however it is described. */
async function withSmallPrice(
  { textSearch, catalogStore }: UnderstandDeps,
  understanding: Understanding,
  signal: AbortSignal,
): Promise<Understanding> {
  const all = {
    text: "",
    filters: { source: "catalog" },
    sort: "price",
    order: "asc",
    everyWord: true,
  } as const;
  const search = (offset: number, limit: number) =>
    unlessUsedUp(() => textSearch.search({ ...all, offset, limit }, signal), undefined);
  const total = (await search(0, 0))?.total ?? 0;
  const hits = await search(Math.floor(total / 4), 1);
  const [product] = await catalogStore.findByRowIds(hits?.rowIds ?? []);
  if (product === undefined) return understanding;
  const { priceMinor: maxPriceMinor } = product;
  const limit = (intent: Intent): Intent => ({
    ...intent,
    constraints: { ...intent.constraints, maxPriceMinor },
  });
  return { ...understanding, intents: understanding.intents.map(limit) };
}

/** "How many products do you have?" is about all of them. */
const wholeShop = new Set("article articles good goods catalog catalogue range assortment total".split(" "));

/** Without other words, a question is about the products of the last answer, or else about all. */
function aboutWhole(shop: ShopQuestion, turn: Turn | undefined): Understanding {
  const intents = turn?.intents ?? [emptyIntent];
  return withQuestion({ intents, sorting: turn?.sorting ?? byRelevance }, shop);
}

function withQuestion(understanding: Understanding, question: ShopQuestion | undefined): Understanding {
  if (question === undefined || understanding.intents.length !== 1) return understanding;
  const { asks, isCount } = question;
  // "Who makes your most expensive watch?" asks about that watch.
  if (asks === "brands" && understanding.sorting.sort !== "relevance") return understanding;
  const byPrice = asks === "prices" && understanding.sorting.sort === "relevance";
  return {
    ...understanding,
    shop: { asks, ...(isCount && { isCount }) },
    ...(byPrice && { sorting: { sort: "price", order: "asc" } }),
  };
}

/** A sentence of needs, unless it names a thing: then that is what is needed. */
async function readNeedOf(
  deps: UnderstandDeps,
  request: string,
  text: string,
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<Understanding | undefined> {
  const need = readNeed(text);
  if (need === undefined) return undefined;
  if (need.place !== undefined && isKind(need.place, deps)) return undefined;
  const read = await readRequest(deps, request, need.about, meanings, signal);
  if (read.topic !== undefined) return undefined;
  const { intents: things } = read;
  const below = things.map(({ kinds, words }) => kinds ?? words.flatMap((word) => kindsBelow(deps, word)));
  if (things.some((thing, at) => below[at]?.length === 0 && namesThing(thing))) return read;
  const [all, about] = [
    await mark(deps, request, need.text, meanings, signal),
    await mark(deps, request, need.about, meanings, signal),
  ];
  const { maxPriceMinor, ...constraints } = all.meanings
    .map((meaning) => meaning.constraints ?? {})
    .reduce(mergeConstraints, {});
  const intents = await proposeKinds(
    deps,
    {
      text: isHome(need.about) ? "furniture" : withoutMarks(all.text),
      about: withoutMarks(about.text),
      within: isHome(need.about) ? kindsBelow(deps, "furniture") : below.flat(),
    },
    signal,
  );
  if (intents.length === 0) return undefined;
  const within =
    maxPriceMinor === undefined ? intents : await affordable(deps, intents, maxPriceMinor, signal);
  return {
    intents: within.map((intent) => ({ ...intent, constraints })),
    sorting: byRelevance,
    isNeed: true,
    ...(maxPriceMinor !== undefined && { sharedBudgetMinor: maxPriceMinor }),
  };
}

/** A flat, in whatever words, is furnished: things for it do not name it. */
function isHome(about: string): boolean {
  const words = contentWords(about).filter((word) => !countWords.has(word));
  return words.length > 0 && words.every((word) => dwellings.has(word));
}

const dwellings = new Set("home house flat apartment studio dorm place condo".split(" "));

/** "How do I keep my coffee hot?" asks for what helps, if the catalog has such things. */
async function readNeedQuestion(
  deps: UnderstandDeps,
  request: string,
  text: string,
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<Understanding | undefined> {
  const need = needAsked(text);
  const found = need === undefined ? [] : await thingsHelping(deps, [need, request], leastTold.found);
  return found.length === 0 ? undefined : helpedBy(deps, request, text, { found }, meanings, signal);
}

/** What somebody tells, and perhaps a wish besides: then that is read. Alone, it means the kinds that help. */
async function readSituation(
  deps: UnderstandDeps,
  request: string,
  text: string,
  { told, others, isPolite }: ReturnType<typeof clausesOf>,
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<Understanding | undefined> {
  if (told.length === 0 && !isPolite) return undefined;
  const wish = await mark(deps, request, others.join(" , "), meanings, signal);
  const { wishes, thing, features, purpose } = readRoles(wish.text, () => true);
  if (thing.length + features.length + purpose.length > 0)
    return readRequest(deps, request, others.join(" , "), meanings, signal);
  const [named] = await deps.textSearch.categoriesNamedIn(told.join(" , "));
  const about = told.length === 0 ? [text] : told;
  const found =
    named === undefined
      ? await thingsHelping(
          deps,
          [...about, request],
          others.length === 0 ? leastTold.nothing : leastTold.found,
        )
      : [{ ...emptyIntent, constraints: { categories: [named] } }];
  // The colour of what broke, or of a thumb, is no condition.
  const conditions = named === undefined && told.length > 0 ? others.join(" , ") : text;
  if (found.length > 0) return helpedBy(deps, request, conditions, { found, wishes }, meanings, signal);
  const read = await readRequest(deps, request, text, meanings, signal);
  if (read.intents.some(({ absent }) => absent === undefined)) return undefined;
  const helping = await thingsHelping(deps, about, leastTold.nothing);
  return helping.length === 0
    ? undefined
    : helpedBy(deps, request, conditions, { found: helping, wishes }, meanings, signal);
}

/** Things that help, with the conditions of the text. */
async function helpedBy(
  deps: UnderstandDeps,
  request: string,
  text: string,
  { found: intents, wishes = [] }: { found: readonly Intent[]; wishes?: readonly string[] },
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<Understanding> {
  const all = await mark(deps, request, text, meanings, signal);
  // "To the office without a car" excludes nothing.
  const { without: _, ...constraints } = all.meanings
    .map((meaning) => meaning.constraints ?? {})
    .reduce(mergeConstraints, {});
  return {
    intents: intents.map((intent) => ({
      ...intent,
      wishes,
      constraints: mergeConstraints(constraints, intent.constraints),
    })),
    sorting: sortingOf(all),
    ...(intents.length > 1 && { isNeed: true }),
  };
}

/** "Compare the cheapest and the dearest floor lamp" is about two products. */
async function readExtremes(
  deps: UnderstandDeps,
  request: string,
  text: string,
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<Understanding | undefined> {
  if (!comparesOrders.test(text)) return undefined;
  const marked = await mark(deps, request, text, meanings, signal);
  const extremes = extremesCompared(marked);
  if (extremes === undefined) return undefined;
  const { intents } = await readIntents(deps, request, { ...marked, text: extremes.thing }, false, signal);
  const [intent] = intents;
  if (intent === undefined || intents.length > 1 || !hasThing(intent)) return undefined;
  const query = {
    text: intent.words.join(" "),
    filters: filtersOf(intent),
    offset: 0,
    limit: extremes.orders.length === 1 ? 2 : 1,
    everyWord: true,
  };
  const firsts = await Promise.all(
    extremes.orders.map((order) =>
      unlessUsedUp(() => deps.textSearch.search({ ...query, ...order }, signal), undefined),
    ),
  );
  const referred = await deps.catalogStore.findByRowIds(firsts.flatMap((hits) => hits?.rowIds ?? []));
  return referred.length < 2 ? undefined : { intents, sorting: byRelevance, referred, compares: true };
}

type AboutProducts = Pick<Understanding, "question" | "referred" | "compares">;

/** A question about a product that it names, or that the last answer showed. */
async function readAboutProducts(
  deps: UnderstandDeps,
  text: string,
  turn: Turn | undefined,
  signal: AbortSignal,
): Promise<AboutProducts | undefined> {
  const asked = readQuestion(text);
  // "Who sells the cheapest backpack?" is about all of them.
  if (
    turn === undefined &&
    /\b(?:cheapest|(?:most|least) expensive|dearest|(?:best|highest)[ -]rated)\b/u.test(text)
  )
    return undefined;
  if (turn !== undefined) {
    const referred = await comparedProducts(text, turn);
    if (referred !== undefined) return { referred, compares: true };
    const question = await questionOf(text, asked, turn);
    if (question !== undefined) return { question };
    if (asked !== undefined && asksForThose(asked, turn)) return undefined;
  }
  const question = asked && (await resolveQuestion(deps, asked, signal));
  if (question !== undefined) return { question };
  return asked?.isPronoun ? { question: { topic: "everything", isReference: true } } : undefined;
}

/** A request without earlier ones. */
async function readRequest(
  deps: UnderstandDeps,
  request: string,
  text: string,
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<Understanding> {
  const compared = thingsCompared(text);
  const topic = compared === undefined ? conversationTopic(text) : undefined;
  if (topic !== undefined) return conversation(topic);
  await giveWay();
  const marked = await mark(deps, request, compared ?? text, meanings, signal);
  const isPlain = marked.meanings.length === 0;
  if (isPlain && contentWords(text).length === 0) return conversation("service");
  const understanding = await readIntents(deps, request, marked, compared !== undefined, signal);
  const isOpen = isPlain && isOpenQuestion(text) && !understanding.intents.some(hasThing);
  return isOpen && !(await findsProducts(text, deps.textSearch, signal))
    ? conversation("question")
    : understanding;
}

/** A description whose words name nothing that the catalog has means the kinds that it is near to. */
async function readRequestOrMeaning(
  deps: UnderstandDeps,
  request: string,
  text: string,
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<Understanding> {
  const read = await readRequest(deps, request, text, meanings, signal);
  const isAbsent = read.intents.length > 0 && read.intents.every(({ absent }) => absent !== undefined);
  if (!isAbsent) return read;
  const isName = contentWords(text).length < leastDescribing;
  const found = await thingsHelping(deps, [text, request], isName ? leastTold.same : leastTold.found);
  return found.length === 0 ? read : helpedBy(deps, request, text, { found }, meanings, signal);
}

/** Fewer words are a name: what it names is absent. */
const leastDescribing = 3;

/** Marks the phrases and names of a text. */
async function mark(
  { textSearch, currency }: UnderstandDeps,
  request: string,
  text: string,
  meanings: readonly RequestMeaning[],
  signal: AbortSignal,
): Promise<MarkedRequest> {
  // Bounds in a unit that attributes have are filters; others are looked for in texts.
  const isUnit = await readUnits(textSearch, text, currency);
  const tables = phraseTables(isUnit === undefined ? [] : measurePhrases(isUnit));
  const phrases = await markPhrases<RequestMeaning>({ traced: traceText(text), meanings }, tables, {
    toMinor: (amount) => toMinor(amount, currency),
  });
  const read = { text: phrases.traced.text.replace(/\s+/g, " ").trim(), meanings: phrases.meanings };
  return markNames(read, request, textSearch, signal);
}

async function readIntents(
  deps: UnderstandDeps,
  request: string,
  marked: MarkedRequest,
  compares: boolean,
  signal: AbortSignal,
): Promise<Understanding> {
  const limited = limitWords(marked.text, readingLimits.words);
  const leftOut = deps.reading?.leftOut;
  if (leftOut !== undefined && limited.from !== undefined) leftOut.from = limited.from;
  const text = withThingForOne(limited.text);
  const texts = compares ? splitCompared(text) : await splitIntents(text, deps.textSearch, signal, leftOut);
  const read = await Promise.all(texts.map((part) => readIntent(deps, part, marked.meanings, signal)));
  const intents = compares ? withSharedThing(read) : read;
  const asksForNewest = marked.meanings.some(({ newest }) => newest);
  const asksForPopular = marked.meanings.some(({ popular }) => popular);
  const otherCurrency = namesOtherCurrency(request, deps.currency);
  return {
    ...shareConstraints(intents, isShared(marked)),
    sorting: sortingOf(marked),
    ...(compares && intents.length > 1 && { compares }),
    ...(asksForNewest && { asksForNewest }),
    ...(asksForPopular && { asksForPopular }),
    ...(otherCurrency && { otherCurrency }),
  };
}

/** "Compare Auralis and Voltaine speakers": both are speakers. */
function withSharedThing(intents: readonly ReadIntent[]): ReadIntent[] {
  const last = intents.at(-1);
  if (last === undefined || !hasThing(last)) return [...intents];
  const { categories } = last.constraints;
  return intents.map((intent) =>
    hasThing(intent) || intent.words.length > 0
      ? intent
      : {
          ...last,
          ...intent,
          words: last.words,
          constraints: { ...(categories && { categories }), ...intent.constraints },
        },
  );
}

/** The kinds below "furniture"; none below "sofa". */
function kindsBelow({ kindFinder }: UnderstandDeps, name: string): readonly NamedKind[] {
  const meant = kindFinder?.kindsMeant(name);
  return meant?.isUmbrella ? meant.kinds : [];
}

/** Whether an intent names one kind of thing: not furniture, and not the room that it is for. */
function namesThing({ head, absent, kinds, constraints }: Intent): boolean {
  const isNamed = head !== undefined && absent === undefined && !isTopic(head);
  return constraints.categories !== undefined || (kinds === undefined && isNamed);
}

/** Whether an intent names something that exists in the catalog. */
function hasThing({ head, absent, kinds, constraints }: Intent): boolean {
  return (
    constraints.categories !== undefined ||
    kinds !== undefined ||
    (head !== undefined && absent === undefined)
  );
}

function conversation(topic: ConversationTopic): Understanding {
  return { intents: [], topic, sorting: byRelevance };
}

function isShared({ meanings }: MarkedRequest): boolean {
  return meanings.some(({ shared }) => shared === true);
}

/** The first sort order takes precedence: "the best rated cheap tent" sorts by rating. */
function sortingOf({ text, meanings }: MarkedRequest): Sorting {
  const said = [...text.matchAll(/⟦(\d+)⟧/g)].map(([, mark]) => meanings[Number(mark)]?.sorting);
  return said.find((sorting) => sorting !== undefined) ?? byRelevance;
}

async function findsProducts(text: string, textSearch: TextSearch, signal: AbortSignal): Promise<boolean> {
  const query = {
    filters: { source: "catalog" },
    sort: "relevance",
    order: "desc",
    offset: 0,
    limit: 1,
  } as const;
  const words = contentWords(text).join(" ");
  const { total } = await unlessUsedUp(
    () => textSearch.search({ ...query, text: words, everyWord: true }, signal),
    { total: 1 },
  );
  return total > 0;
}

function withoutInstructions(text: string): string {
  const rest = text.replace(instruction, " , ");
  const trimmed = rest.replace(/(?:^[\s,]+|[\s,]+$)/g, "");
  return rest === text ? trimmed : trimmed.replace(/^(?:and|but|then|also)\b\s*/u, "");
}

/**
 * Colours and exclusions also get the original words of the request, if the catalog knows them: then the catalog is in that
 * language.
 */
async function withTypedWords(
  understanding: Understanding,
  typed: ReadonlyMap<string, string>,
  { wordFrequency }: Pick<TextSearch, "wordFrequency">,
): Promise<Understanding> {
  const known = new Map<string, string>();
  for (const [english, word] of typed) if ((await wordFrequency(word)) > 0) known.set(english, word);
  if (known.size === 0) return understanding;
  const withTyped = (words: readonly string[]): string[] => [
    ...new Set(words.flatMap((word) => [word, known.get(word) ?? word])),
  ];
  const widen = (intent: Intent): Intent => {
    const { colours, without } = intent.constraints;
    return {
      ...intent,
      constraints: {
        ...intent.constraints,
        ...(colours && { colours: colours.map(withTyped) }),
        ...(without && { without: withTyped(without) }),
      },
    };
  };
  return { ...understanding, intents: understanding.intents.map(widen) };
}
