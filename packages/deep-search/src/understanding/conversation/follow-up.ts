import type { StoredProduct } from "@product-search/core/domain/product.ts";
import type { Constraints } from "@product-search/core/domain/query-understanding/phrase-table.ts";
import { comparable } from "../colours.ts";
import { contentWords } from "../phrases/offer-phrases.ts";
import { isTopic, materialNames } from "../things.ts";
import { emptyIntent, type Intent, type Sorting, type Understanding } from "../understanding.ts";
import { thingsCompared } from "./comparison.ts";
import { type Asked, type AskedQuestion, readQuestion } from "./product-question.ts";
import { type ProductQuestion, wordsOf } from "./resolve-question.ts";
import type { Turn } from "./turn.ts";

const ordinals = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");

const one = "(?: (?:one|product|item|option|choice|result))?(?: of (?:them|these|those))?";

const references: readonly { pattern: RegExp; choose: Choose }[] = [
  {
    pattern: new RegExp(
      `^(?:the )?(?:(${ordinals.join("|")}|last)|(\\d{1,2})(?:st|nd|rd|th)|number (\\d{1,2}))${one}\\b`,
      "u",
    ),
    choose: (_, products, [, word, ...numbers]) =>
      word === "last" ? products.at(-1) : products[positionOf(word, numbers) - 1],
  },
  {
    // An answer never has this many products.
    pattern: new RegExp(`^the (?:eleventh|twelfth|\\p{L}+teenth|\\p{L}+tieth)${one}\\b`, "u"),
    choose: () => undefined,
  },
  {
    pattern: new RegExp(`^the (?:cheapest|least expensive|cheaper)${one}\\b`, "u"),
    choose: (_, products) => products.toSorted((a, b) => a.priceMinor - b.priceMinor)[0],
  },
  {
    pattern: new RegExp(`^the (?:most expensive|dearest|priciest)${one}\\b`, "u"),
    choose: (_, products) => products.toSorted((a, b) => b.priceMinor - a.priceMinor)[0],
  },
  {
    pattern: new RegExp(`^the (?:best|top|highest)[ -]rated${one}\\b|^the best one\\b`, "u"),
    choose: (_, products) => products.toSorted((a, b) => (b.averageRating ?? 0) - (a.averageRating ?? 0))[0],
  },
  {
    pattern: /^(?:it|they|them|this|that|these|those)(?: (?:one|product|item))?(?:'s)?\b|^(?:its|their)\b/u,
    choose: ({ focus }, products) => focus ?? products[0],
  },
  {
    pattern: /^the (?<words>(?:[\p{L}-]+ ){1,3})one\b/u,
    choose: (_, products, [, words = ""]) => onlyWith(products, words),
  },
];

const leads =
  /^(?:(?:so|and|but|ok|okay|then|what about|how about|(?:can you |could you )?(?:please )?(?:show|tell|give)(?: me)?(?: more)?(?: about)?|more (?:about|on)|i(?:'d| would)? (?:like|want|prefer|take)|i'll take|details (?:of|on|about|for))\b[ ,]*)+/u;

/** A question about a product of the last answer, or a mention of one. */
export async function questionOf(
  text: string,
  question: AskedQuestion | undefined,
  turn: Turn,
): Promise<ProductQuestion | undefined> {
  if (question !== undefined) {
    if (asksForThose(question, turn)) return undefined;
    const reference = await readReference(question.subject, turn);
    if (reference === undefined) return undefined;
    const { product, rest } = reference;
    return {
      ...(product && { product }),
      topic: question.topic ?? { words: wordsOf(rest) },
      isReference: true,
    };
  }
  const which = whichOne.exec(text)?.groups;
  if (which !== undefined) {
    const cheapest = which.price !== undefined;
    const reference = await readReference(cheapest ? "the cheapest" : "the best rated", turn);
    if (reference?.product)
      return { product: reference.product, topic: cheapest ? "price" : "rating", isReference: true };
  }
  const { comparative = "" } = whichMeasure.exec(text)?.groups ?? {};
  const [compared] = comparative === "" ? [] : await turn.products();
  if (compared !== undefined)
    return {
      product: compared,
      topic: /^(?:light|heav)/u.test(comparative) ? "weight" : "size",
      isReference: true,
    };
  // "The cheapest one" orders the whole result, not only the products that were shown.
  if (superlative.test(text)) return undefined;
  const mention = await readReference(text.replace(leads, "").replace(/[\s,]+$/u, ""), turn);
  if (mention === undefined || /^(?:it|they|this|that)\b/u.test(text)) return undefined;
  if (mention.product !== undefined && !isEmptyRest(mention.rest))
    return questionAfter(mention, mention.product);
  if (!isEmptyRest(mention.rest)) return undefined;
  const everything: Asked = "everything";
  return { ...(mention.product && { product: mention.product }), topic: everything, isReference: true };
}

/** "Which one has the better rating?", "which of these is cheaper?" */
const whichOne =
  /^(?:so |and |but )?which (?:one|of (?:them|these|those|the \d))(?: (?:is|has|are|have|got|costs|would be|the|a))* (?:(?<price>cheaper|less|lower)|better|higher|(?:best|highest|top)(?= ra| re))(?: (?:rated|ratings?|reviews?|reviewed|prices?|expensive|one|overall))*[ ,]*$/u;

const whichMeasure =
  /^(?:so |and |but )?which (?:one|of (?:them|these|those|the \d)) (?:is|are) (?:the )?(?<comparative>lighter|heavier|bigger|smaller|larger|longer|shorter|taller|wider|thicker)(?: one)?[ ,]*$/u;

/** "Are they waterproof?" asks for those of the last answer that are. */
export function asksForThose({ topic, subject }: AskedQuestion, { focus }: Turn): boolean {
  return topic === undefined && focus === undefined && /^(?:they|them|these|those)\b/u.test(subject);
}

/** "The second one, is it good for beginners?" */
function questionAfter({ rest }: Reference, product: StoredProduct): ProductQuestion | undefined {
  const asked = /^,/u.test(rest) ? readQuestion(rest.replace(/^[\s,]+/u, "")) : undefined;
  if (asked === undefined || !asked.isPronoun) return undefined;
  const words = wordsOf(asked.subject.replace(/^(?:it|its|they|this|that)\b/u, ""));
  return { product, topic: asked.topic ?? { words }, isReference: true };
}

const superlative =
  /^(?:and |so )?(?:(?:show|give) me )?(?:the )?(?:cheapest|least expensive|most expensive|dearest|priciest|(?:best|top|highest)[ -]rated)(?: (?:one|ones|product|item))?[ ,]*$/u;

function isEmptyRest(rest: string): boolean {
  return /^(?:please|then|in detail|thanks|[\s,])*$/u.test(rest);
}

const firstTwo = /\b(?:(?:first|these|those|the) 2|both(?: of them)?|them|each other)\b/u;

/** "Compare the first two", "which is better, the first or the third?" */
export async function comparedProducts(text: string, turn: Turn): Promise<StoredProduct[] | undefined> {
  if (!/\b(?:compare|differences?|differ|better|versus|vs)\b/u.test(text)) return undefined;
  if (firstTwo.test(text)) return (await turn.products()).slice(0, 2);
  const pieces = (thingsCompared(text) ?? "").split(/\s*,?\s+(?:and|or)\s+|\s*,\s*/u);
  const references = await Promise.all(pieces.map((piece) => readReference(piece, turn)));
  const products = references.flatMap((reference) => reference?.product ?? []);
  return products.length > 1 && products.length === pieces.length ? products : undefined;
}

/** True if a request names no thing and so refers to the one before. */
export function isRefinement({ intents, topic, compares }: Understanding, text: string): boolean {
  if (compares || intents.length > 1) return false;
  const [intent] = intents;
  if (intent === undefined) return topic === "service" && /\b(?:cheaper|more|others?|else)\b/u.test(text);
  const { head, kinds, absent, words, purpose, constraints } = intent;
  const isNamed = head !== undefined && !isTopic(head);
  // "And a desk too": a desk may also be a place.
  const isNew =
    head !== undefined && new RegExp(`\\b(?:an?|some) (?:[\\p{L}-]+ ){0,2}${head}\\b`, "u").test(text);
  const isThing = isNew || (absent === undefined ? isNamed || kinds !== undefined : !refersBack.test(text));
  return !isThing && constraints.categories === undefined && words.length + purpose.length <= maxWords;
}

/** "And dishwasher safe?", "do you have them in tortoise?": of what was shown, though no product has the words. */
export const refersBack =
  /^(?:(?:and|but|or|also|so|maybe)\b(?! (?:an?|the|some|any|what about|how about) )|(?:(?:any|some|one) )?(?:in|with|without|for|from|by|that|which|made)\b)|\b(?:it|them|those|these|ones?)\b/u;

const maxWords = 4;
const fewNamed = 2;

/** Another product of the same kind. */
export function intentLike({ category }: StoredProduct): Intent {
  const constraints = category === undefined ? {} : { categories: [category] };
  return { ...emptyIntent, constraints };
}

/** "And cheaper?", "in blue instead", "without leather": the earlier request with a change. */
export async function refine(turn: Turn, own: Understanding, text: string): Promise<Understanding> {
  const [change] = own.intents;
  const relative = await relativeBounds(turn, text);
  const hasNewOrder = own.sorting.sort !== "relevance" && relative === undefined;
  const ofBound: Sorting | undefined = relative && sortingOf(relative);
  const sorting: Sorting = hasNewOrder ? own.sorting : (ofBound ?? turn.sorting);
  // A name finds one product, so "cheaper" than that means another product of its kind.
  const isNamed = turn.focus !== undefined && (await turn.products()).length <= fewNamed;
  const former = relative && isNamed && turn.focus ? [intentLike(turn.focus)] : turn.intents;
  const intents = former.map((intent) => changed(intent, change, relative ?? {}));
  const { otherCurrency, asksForNewest } = own;
  const asksForMore = change === undefined && relative === undefined;
  const isLimited = former.some(hasPriceLimit);
  const setsLimit = relative !== undefined || (change !== undefined && hasPriceLimit(change));
  return {
    intents,
    ...(isLimited && !setsLimit && { keepsPriceLimit: true }),
    ...(relative?.maxPriceMinor !== undefined && {
      asksForCheaper: turn.asksForCheaper ?? limitOf(former),
    }),
    ...(asksForMore && { skipped: await turn.shown() }),
    sorting,
    ...(otherCurrency && { otherCurrency }),
    ...(asksForNewest && { asksForNewest }),
  };
}

function limitOf([first]: readonly Intent[]): { limitMinor?: number } {
  const limitMinor = first?.constraints.maxPriceMinor;
  return limitMinor === undefined ? {} : { limitMinor };
}

/** "Cheaper ones" are the cheapest others. */
function sortingOf({ minPriceMinor, maxPriceMinor }: Constraints): Sorting | undefined {
  if (maxPriceMinor !== undefined) return { sort: "price", order: "asc" };
  return minPriceMinor === undefined ? undefined : { sort: "price", order: "desc" };
}

export function hasPriceLimit({ constraints: { minPriceMinor, maxPriceMinor } }: Intent): boolean {
  return (minPriceMinor ?? maxPriceMinor) !== undefined;
}

const otherValue =
  /\b(?:other|others|different|another|(?:not|except) (?:that|this|those)|but (?:that|this)|without (?:that|this)) (?<said>brand|maker|colou?r|material|store|shop)s?\b(?! (?:than|from) )/u;

/** "Not that brand", "any other colours?": the request of before without what it named, or what was shown. */
export async function otherThan(turn: Turn, text: string): Promise<Understanding | undefined> {
  const { said = "" } = otherValue.exec(text)?.groups ?? {};
  if (said === "" || contentWords(text.replace(otherValue, " ")).length > 0) return undefined;
  const { brand = "", storeName = "", attributes = {} } = turn.focus ?? (await turn.products())[0] ?? {};
  const { color = [], material = [] } = attributes;
  if (said === "material") return otherMaterial(turn, material);
  const [key, shown] = /^[bm]/u.test(said)
    ? (["brands", [brand]] as const)
    : /^c/u.test(said)
      ? (["colours", color] as const)
      : (["stores", [storeName]] as const);
  const intents = turn.intents.map((intent): Intent => {
    const { [key]: named = shown, without = [], ...constraints } = intent.constraints;
    const denied = named.flat().filter((value) => value !== "");
    return {
      ...intent,
      constraints: { ...constraints, without: [...without, ...denied.map((value) => value.toLowerCase())] },
    };
  });
  return intents.length === 0 ? undefined : { intents, sorting: turn.sorting };
}

function otherMaterial({ intents, sorting }: Turn, shown: readonly string[]): Understanding {
  const isOther = (word: string): boolean => !materialNames.has(word);
  const others = intents.map((intent): Intent => {
    const named = intent.words.filter((word) => !isOther(word));
    const without = [...(intent.constraints.without ?? []), ...(named.length > 0 ? named : shown)];
    return {
      ...intent,
      words: intent.words.filter(isOther),
      features: intent.features.filter(isOther),
      constraints: { ...intent.constraints, without: without.map((word) => word.toLowerCase()) },
    };
  });
  return { intents: others, sorting };
}

/** "What about a rug?": another thing with the constraints of the earlier request. */
export function withBoundsOf(turn: Turn, own: Understanding): Understanding {
  const [former] = turn.intents;
  if (former === undefined) return own;
  const { minPriceMinor, maxPriceMinor, minRating } = former.constraints;
  const isFree = own.intents.every(
    ({ constraints }) => (constraints.minPriceMinor ?? constraints.maxPriceMinor) === undefined,
  );
  const bounds: Constraints = {
    ...(isFree && minPriceMinor !== undefined && { minPriceMinor }),
    ...(isFree && maxPriceMinor !== undefined && { maxPriceMinor }),
    ...(minRating !== undefined && { minRating }),
  };
  return {
    ...own,
    ...(isFree && hasPriceLimit(former) && { keepsPriceLimit: true }),
    intents: own.intents.map((intent) => ({ ...intent, constraints: { ...bounds, ...intent.constraints } })),
  };
}

/** "That is too expensive", "out of my price range", "do you have it for less?" */
export function isTooDear(text: string): boolean {
  return /\b(?:(?:too|so|very|pretty|quite|rather|bit|way) (?:expensive|dear|pricey|pricy|costly|much)|(?:not|isn't) (?:that |so |as |too )*(?:expensive|dear|pricey|cheap)|(?:over|above|beyond|exceeds?|out of|outside) (?:of )?(?:my|our|the) (?:price range|budget|range|means)|(?:can't|cannot|couldn't|can not) (?:afford|spend|pay)|(?:spend|pay|costs?) (?:that|this) much|(?:a )?lot of money|for less|lower price|half (?:that|the|this|of that) price|costs? too much|zu teuer|trop ch(?:er|ère)s?|(?:demasiado|muy) car[oa]s?)(?!\p{L})/u.test(
    text,
  );
}

/** "Cheaper" than the first recommended product, or than the product of the last question. */
async function relativeBounds(turn: Turn, text: string): Promise<Constraints | undefined> {
  const product = turn.focus ?? (await turn.products())[0];
  if (product === undefined) return undefined;
  const { priceMinor, averageRating = 0 } = product;
  if (/\b(?:cheaper|less expensive|more affordable|lower priced?)\b(?! than)/u.test(text) || isTooDear(text))
    return { maxPriceMinor: priceMinor - 1 };
  if (/\b(?:more expensive|dearer|pricier|higher priced)\b(?! than)/u.test(text))
    return { minPriceMinor: priceMinor + 1 };
  if (/\bbetter(?: rated| reviewed)?\b/u.test(text)) return { minRating: Math.min(5, averageRating + 0.1) };
  return undefined;
}

function changed(intent: Intent, change: Intent | undefined, relative: Constraints): Intent {
  if (change === undefined) return { ...intent, constraints: { ...intent.constraints, ...relative } };
  const own = { ...change.constraints, ...relative };
  const former = { ...intent.constraints };
  const setsPrice = (own.minPriceMinor ?? own.maxPriceMinor) !== undefined;
  if (setsPrice) {
    // "Cheaper" keeps a lower bound; "under 50" replaces it.
    if (relative.maxPriceMinor === undefined) delete former.maxPriceMinor;
    if (relative.minPriceMinor === undefined && relative.maxPriceMinor === undefined)
      delete former.minPriceMinor;
  }
  const without = [...(former.without ?? []), ...(own.without ?? [])];
  const isDenied = (word: string): boolean => own.without?.includes(word) ?? false;
  if (former.colours?.some((group) => group.some(isDenied))) delete former.colours;
  const isMaterial = (word: string): boolean => materialNames.has(word);
  const replaces = change.words.some(isMaterial);
  return {
    ...intent,
    words: [
      ...intent.words.filter((word) => !isDenied(word) && !(replaces && isMaterial(word))),
      ...change.words,
    ],
    features: [...intent.features, ...change.words],
    purpose: change.purpose.length > 0 ? change.purpose : intent.purpose,
    requestWords: intent.requestWords,
    wishes: [...new Set([...intent.wishes, ...change.wishes])],
    asksForQuality: intent.asksForQuality || change.asksForQuality,
    constraints: { ...former, ...own, ...(without.length > 0 && { without: [...new Set(without)] }) },
  };
}

/** Words that refer to a product of the last answer, and the words of the question after them. */
interface Reference {
  /** Undefined if the last answer has no such product. */
  product: StoredProduct | undefined;
  rest: string;
}

type Choose = (
  turn: Turn,
  products: readonly StoredProduct[],
  match: RegExpExecArray,
) => StoredProduct | undefined;

/** Finds the product of the last answer that the beginning of a text refers to: "it", "the second one", "the red one". */
async function readReference(text: string, turn: Turn): Promise<Reference | undefined> {
  for (const { pattern, choose } of references) {
    const match = pattern.exec(text);
    if (match === null) continue;
    const product = choose(turn, await turn.products(), match);
    // If several products are red, "the red one" continues with all of them.
    if (product === undefined && match.groups?.words !== undefined) return undefined;
    return { product, rest: text.slice(match[0].length).trim() };
  }
  return undefined;
}

function positionOf(word: string | undefined, numbers: readonly (string | undefined)[]): number {
  if (word !== undefined) return ordinals.indexOf(word) + 1;
  return Number(numbers.find((number) => number !== undefined));
}

/** The only product that has all the words; undefined if several do. */
function onlyWith(products: readonly StoredProduct[], words: string): StoredProduct | undefined {
  const wanted = comparable(words).split(" ");
  const having = products.filter(({ name, brand = "" }) => {
    const own = new Set(comparable(`${name} ${brand}`).split(" "));
    return wanted.every((word) => own.has(word));
  });
  return having.length === 1 ? having[0] : undefined;
}
