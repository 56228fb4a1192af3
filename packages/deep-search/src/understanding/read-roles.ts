import { fillerWords, foreignFillers, prepositions, quantityPhrase } from "./phrases/grammar-words.ts";
import { withoutCount } from "./phrases/offer-phrases.ts";
import { enthusiastWords, giftWords, opinionWords, peopleWords, qualityWords } from "./word-lists.ts";

/** The words of one intent by their role. Each list is in the order of the request. */
export interface Roles {
  /** What the thing is, with its noun last: "warm bag" in "a warm bag with pockets for a laptop". */
  thing: readonly string[];
  /** Its features: "pockets". */
  features: readonly string[];
  /** What it is for, and where it is used: "laptop". */
  purpose: readonly string[];
  /** What the user wants to do with it: "sit" in "something to sit on". */
  verbs: readonly string[];
  /** Opinions and gifts, which affect the order: "comfortable", "gift". */
  wishes: readonly string[];
  /** The request asks for something good. */
  asksForQuality: boolean;
}

type Role = "thing" | "features" | "purpose";

/** After these words comes the purpose of a thing; after other prepositions, its features. */
const purposePrepositions = new Set(
  "for to by when while during against after before inside outside who whose whom".split(" "),
);
/** "In the kitchen" is a place, "in leather" is not. */
const placePrepositions = new Set("in on at under over above below into onto like".split(" "));
const articles = new Set("a an the my our your his her their".split(" "));
const openWords = new Set("something anything someone somebody everything things stuff".split(" "));
/** "For" after one of these words introduces the thing. */
const seekingWords = new Set(
  "look looking lookin search searching searchin hunting shopping asking ask wish wishing hope hoping need market after here everywhere anywhere around".split(
    " ",
  ),
);
const abilities = new Set("can could to".split(" "));

/** The data of products has no sizes of clothes and shoes: they are features, which may be set aside. */
const sizeWords = new Set("size sizes sized".split(" "));
const sizeValue = /^(?:\d{1,3}(?:\.5)?|x{0,4}[sml]|small|medium|large)$/u;
/** "A shirt in large". */
const inSize =
  /\bin (?:an? )?(x{0,4}[sml]|small|medium|large)(?![\p{L}\d]| (?!(?:please|and|or|with|for|under|in)\b)\p{L})/gu;
/** "Long walks" are walks: before a purpose, these say nothing about a product. */
const vagueWords = new Set(
  "long longer short shorter daily regular frequent occasional day days time times".split(" "),
);

/** "EU 42", "size 9 UK", "extra large", "32 long". */
const sizeSystems = new Set(
  "eu uk us it fr de jp extra plus petite tall regular wide narrow one fits all".split(" "),
);
/** "2XL", "W32", "32B", "38-40". */
const rareSizeValue =
  /^(?:[2-6]xl|x{1,4}[sl]|[wl]\d{2}|\d{2}[a-h]{1,2}|\d{1,3}(?:\.5)?[-/]\d{1,3}(?:\.5)?|[a-z]\d{1,2})$/u;

/**
 * Whether these words only say a size: "size 42", "XL", "EU 42", "king size", "waist size 32". It is a condition of the thing
 * that is named, whatever sizes other things have.
 */
export function isSize(words: readonly string[]): boolean {
  const says = words.some((word) => sizeWords.has(word));
  if (!says && !words.some(isSizeValue)) return false;
  return words.every((word) => isSizeValue(word) || sizeWords.has(word) || sizeSystems.has(word));
}

export function isSizeValue(word: string): boolean {
  return sizeValue.test(word) || rareSizeValue.test(word);
}

export function isSizeWord(word: string): boolean {
  return sizeWords.has(word) || sizeValue.test(word);
}

const token = /⟦(\d+)⟧|[,|]|[\p{L}\p{N}][\p{L}\p{N}\p{M}'.+&-]*/gu;

/** Sorts the words of a text by their roles. `isBoundary` says which marks end a noun phrase. */
export function readRoles(text: string, isBoundary: (mark: number) => boolean): Roles {
  const reader = createReader();
  const plain = text
    .replace(quantityPhrase, " ")
    .replace(inSize, "size $1")
    .replace(/\b(that|which|who)'s /gu, "$1 is ");
  for (const [piece, mark] of plain.matchAll(token)) {
    if (mark === undefined && piece !== "," && piece !== "|") reader.read(piece.replace(/[.'&+-]+$/u, ""));
    else if (mark === undefined || isBoundary(Number(mark))) reader.endPhrase();
    if (mark !== undefined) reader.readMark();
  }
  return reader.roles();
}

/** Collects the words of one intent, one after the other. */
function createReader() {
  const words: Record<Role | "verbs" | "wishes", string[]> = {
    thing: [],
    features: [],
    purpose: [],
    verbs: [],
    wishes: [],
  };
  let role: Role = "thing";
  let previous = ",";
  let asksForQuality = false;
  const hasThing = (): boolean => words.thing.length > 0;
  const add = (word: string): void => {
    // "Gift box" is a box.
    if (role === "thing" && giftWords.has(previous) && words.wishes.at(-1) === previous) {
      words.wishes.pop();
      words.thing.push(previous);
    }
    const isVerb = abilities.has(previous) || (previous === "for" && word.endsWith("ing"));
    if (isVerb && role === "purpose") words.verbs.push(word);
    words[role].push(word);
  };
  const readContent = (word: string): void => {
    // "A retirement gift": the occasion is no thing.
    if (giftWords.has(word) && role === "thing" && words.thing.at(-1) === previous)
      words.purpose.push(...words.thing.splice(0));
    if (openWords.has(word)) role = "features";
    else if (sizeWords.has(previous) && sizeValue.test(word)) words.features.push(word);
    else if (qualityWords.has(word)) asksForQuality = true;
    else if ([opinionWords, giftWords, peopleWords, enthusiastWords].some((list) => list.has(word)))
      words.wishes.push(word);
    else if (sizeWords.has(word)) words.features.push(word);
    else if (role === "purpose" && vagueWords.has(word)) return;
    else if (!fillerWords.has(word) && !foreignFillers.has(word)) add(word);
    // "Looking to find a lamp": after such a verb comes the thing.
    else if (abilities.has(previous) && !hasThing() && words.purpose.length === 0) role = "thing";
  };
  return {
    endPhrase(): void {
      if (hasThing()) role = "features";
      else if (words.purpose.length > 0) role = "thing";
      previous = ",";
    },
    /** A phrase that was recognised before, but may be inside another phrase. */
    readMark(): void {
      previous = "";
    },
    read(word: string): void {
      const isPlace = placePrepositions.has(previous) && articles.has(word) && hasThing();
      if (isPlace) role = "purpose";
      else if (prepositions.has(word)) role = roleAfter(word, previous, role, hasThing());
      else readContent(word);
      // "In a", "in the": the preposition decides, and its article is skipped.
      if (!isPlace) previous = word;
    },
    roles(): Roles {
      return { ...words, thing: withoutCount(words.thing), asksForQuality };
    },
  };
}

function roleAfter(word: string, previous: string, role: Role, hasThing: boolean): Role {
  if (purposePrepositions.has(word)) {
    // "Looking for", "60 dollars for", "I am after": the thing follows.
    const isSeeking = previous === "" || seekingWords.has(previous) || !["for", "to", "who"].includes(word);
    return !hasThing && isSeeking ? role : "purpose";
  }
  return hasThing || role !== "thing" ? "features" : role;
}
