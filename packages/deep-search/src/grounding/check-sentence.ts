import type { AnswerBrief, AnswerProduct } from "@product-search/core/ports/answer-writer.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { wordStem } from "../understanding/colours.ts";
import { claimRules } from "./claim-rules.ts";
import { type SentenceParts, takeApart } from "./sentence-parts.ts";

/**
 * English words that state nothing specific about a product. A writer may use these and the words of the products' own
 * texts. Any other word is not supported by the catalog.
 */
const text = `
  a an the this that these those it its itself they them their theirs there here he she his her i i'm i've i'd i'll me my mine we us our you your yours you're you'll
  is are was be been being am isn't aren't it's that's there's here's what's do does did doesn't don't didn't done has have had haven't hasn't having can can't cannot could
  would wouldn't should shouldn't will won't may might must shall let let's
  and or but nor so yet also too as if because since while whereas although though however therefore then than else unless until when whenever where wherever which who whom whose
  what why how whether either neither both all any some every each other others another none nothing something anything everything someone anyone everyone no not never
  of to in on at by for from with without within into onto about above after against along among around before behind below beneath beside besides between beyond despite
  down during except inside instead like near next off out outside over past per regarding round through throughout toward towards under up upon via
  very really quite rather fairly pretty just only even still already again always often usually sometimes mostly mainly especially particularly simply clearly probably perhaps maybe
  likely certainly definitely indeed overall generally actually exactly nearly almost enough more most less least much many few several little lot lots bit
  first second third fourth last final finally one once twice now currently today soon later early moment time times way ways
  good better best great nice fine excellent solid strong decent ideal perfect lovely attractive appealing worth worthy worthwhile fair sensible reasonable suitable right fitting smart popular
  favourite favorite useful helpful practical simple easy easily big bigger biggest small smaller smallest large larger largest high higher highest low lower lowest long short
  same similar different various particular special certain whole full close closer closest nearest clear main key top available unavailable
  choice choices choose choosing chosen option options pick picks picked recommend recommended recommendation recommendations suggestion suggestions suggest suggests alternative alternatives
  product products item items thing things one ones kind kinds sort sorts type types range selection list result results match matches matched matching fit fits fitting find finds found
  search searched searching look looking looks looked see show shows shown seen want wanted wants need needed needs ask asked asks request requested requests
  query word words term terms mind matter matters case point question answer help helps
  price prices priced pricing cost costs costing spend spending spent pay paying paid money budget limit limits bound affordable cheap cheaper cheapest inexpensive expensive pricier priciest
  costly value bargain bargains deal deals discount discounted discounts reduced reduction reductions sale offer offers offered saving savings save saves average history
  rating ratings rated rate review reviews reviewed reviewer reviewers star stars score scores scored buyer buyers customer customers people shopper shoppers user users
  brand brands store stores shop shops seller sellers sold sell sells catalog catalogue category categories colour color colours colors size sizes
  stock ship ships buy buying bought get gets getting got give gives given go goes going come comes coming came take takes taking make makes making made keep keeps kept
  stay stays stand stands start starts begin put set sets aside left leave leaves bring brings use uses used using work works working serve serves suit suits
  know known think say says said tell mean means seem seems feel feels note consider considering compare compared comparison comparing decide depends depending prefer preferred prefers
  offer combine combines combined combination balance trade-off tradeoff compromise difference differ reason reasons advantage benefit addition extra feature features
  together separately altogether apart alone hello hi welcome thanks thank glad happy sorry please unfortunately fortunately sure yes okay
  nothing beyond everything partly part parts set pair whichever whoever anyway otherwise meanwhile moreover furthermore additionally lastly
  order ordered ahead longer arrive arrives arrival wait waiting back soon preorder backorder request narrow narrows narrower wider widen far apart differs
  quality option everyday purpose purposes home person someone yourself gift
  well highly lowly nicely closely slightly somewhat considerably noticeably significantly comfortably total number count among ahead behind front side
  wrong spelling mistake description name named such contradict contradicts describe describes example exact exactly real truly true honest honestly open try tried trying change changes changed changing again exist exists want lead leads line lines up-front
  data mention mentions mentioned meet meets met check checked condition conditions
  mix middle end ends ranks rank ranked ranking stretch goes step upgrade downgrade runner-up runner up contender winner win wins pleasure
`;

const plainWords: ReadonlySet<string> = new Set(text.trim().split(/\s+/));

const maxLength = 400;

const maxNamed = 4;

const fitLength: Rule = ({ sentence }) => {
  if (sentence.trim() === "") return "the sentence is empty";
  return sentence.length > maxLength ? `the sentence is longer than ${maxLength} characters` : undefined;
};

const referToProducts: Rule = ({ references, literal, named }) => {
  const unknown = references.find(({ rendered }) => rendered === undefined);
  if (unknown !== undefined) return `there is no {${unknown.reference}}`;
  if (/[{}]/u.test(literal)) return "a brace stands outside of a reference";
  return named.length > maxNamed ? "the sentence names too many products" : undefined;
};

/** No digits, currency signs, markup, links or other scripts: only words and plain punctuation. */
const usePlainCharacters: Rule = ({ literal }) => {
  const odd = /\p{N}|[^\p{Script=Latin}\p{M}\s⌁.,;:!?'"’“”()–—-]/u.exec(literal);
  if (odd)
    return `"${odd[0]}" may not be written: numbers and names come by reference, markup and links not at all`;
  if (/[^\S ]/u.test(literal)) return "a sentence is one line";
  return /[\p{L}⌁]\.[\p{L}]/u.test(literal) ? "a dot inside a word looks like a link" : undefined;
};

/** A word in upper case may only start a sentence or be part of a reference; "I" is the only exception. */
const useNoProperNouns: Rule = ({ literal }) => {
  const inside = literal.replace(/^[\s"'“(]*\p{L}+/u, "").replace(/([.!?:]["'”)]?\s+["'“(]*)\p{L}+/gu, "$1");
  const name = /\p{Lu}[\p{L}\p{M}'’]*/gu;
  const found = [...inside.matchAll(name)].find(([word]) => !/^I(?:['’]\p{Ll}+)?$/u.test(word));
  return found ? `"${found[0]}" looks like a name: names come by reference` : undefined;
};

const numberWords = new Set(
  (
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty " +
    "forty fourty fifty sixty seventy eighty ninety hundred hundreds thousand thousands million grand dozen dozens couple half halves quarter quarters third thirds " +
    "fifth tenth double doubled triple twice thrice percent percentage fiver tenner hundredfold twofold point"
  ).split(" "),
);

const currencyWords = new Set(
  (
    "dollar dollars buck bucks cent cents euro euros pound pounds quid sterling pence penny pennies yen yuan rupee rupees lira franc francs krona kronor krone kroner zloty " +
    "peso pesos ruble rubles rouble roubles won real reais rand usd eur gbp jpy cny inr try cad aud chf sek nok dkk pln free gratis complimentary"
  ).split(" "),
);

const writeNoNumbers: Rule = ({ words, literal }) => {
  const parts = words.flatMap((word) => word.split(/['’-]/u));
  const currency = parts.find(
    (word) => currencyWords.has(word) && !(word === "real" || word === "won" || word === "try"),
  );
  if (currency !== undefined) return `"${currency}" speaks of money: prices come by reference`;
  const plain = literal.toLowerCase();
  const number = parts.find(
    (word) =>
      numberWords.has(word) && !(word === "third" && /the third\b/u.test(plain)) && !(word === "point"),
  );
  return number === undefined ? undefined : `"${number}" is a number in words: numbers come by reference`;
};

/** The rules for the form of a sentence, whatever it is about. */
const formRules: readonly Rule[] = [
  fitLength,
  referToProducts,
  usePlainCharacters,
  useNoProperNouns,
  writeNoNumbers,
];

/** Checks a sentence of a writer for statements that the products do not support. Returns what is wrong, or undefined. */
export type CheckSentence = (sentence: string) => Promise<string | undefined>;

export function createSentenceCheck(
  brief: AnswerBrief,
  { brandsNamedIn }: Pick<TextSearch, "brandsNamedIn">,
): CheckSentence {
  const ofProduct = new Map(brief.products.map((product) => [product, wordsOf(product)]));
  const kinds = wordsIn([...brief.near, ...brief.products.map(({ category = "" }) => category)].join(" "));
  return async (sentence) => {
    const parts = takeApart(sentence, brief);
    for (const rule of formRules) {
      const fault = rule(parts);
      if (fault !== undefined) return fault;
    }
    for (const rule of claimRules) {
      const fault = rule(parts, brief);
      if (fault !== undefined) return fault;
    }
    const said = parts.named.map((product) => ofProduct.get(product) ?? new Set<string>());
    return unknownWord(parts, [plainWords, kinds, ...said]) ?? (await nameInWords(parts, brandsNamedIn));
  };
}

/** A property that no text of the named products has, or a name in lower case. */
function unknownWord(
  { words }: SentenceParts,
  vocabularies: readonly ReadonlySet<string>[],
): string | undefined {
  const has = (word: string): boolean => vocabularies.some((set) => set.has(word) || set.has(wordStem(word)));
  const isKnown = (word: string): boolean =>
    has(word) || has(word.replace(/'s$/u, "")) || word.split(/['-]/u).every(has);
  const unknown = words.map((word) => word.replaceAll("’", "'")).find((word) => !isKnown(word));
  return unknown === undefined ? undefined : `"${unknown}" is said by no product that the sentence names`;
}

async function nameInWords(
  { literal }: SentenceParts,
  brandsNamedIn: TextSearch["brandsNamedIn"],
): Promise<string | undefined> {
  const [brand] = await brandsNamedIn(literal.replaceAll("⌁", ","));
  return brand === undefined ? undefined : `"${brand}" is a brand: brands come by reference`;
}

/** The words of a product's texts and attributes. Of its name, only words in lower case: "Fellhaven Ridge tent" is a tent. */
function wordsOf(product: AnswerProduct): ReadonlySet<string> {
  const { speakable, description, category = "", attributes = {}, name } = product;
  const common = name.split(/\s+/u).filter((word) => word === word.toLowerCase());
  const values = Object.entries(attributes).flat(2);
  return wordsIn(speakable ? [description, category, ...values, ...common].join(" ") : category);
}

function wordsIn(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  return new Set(words.flatMap((word) => [word, wordStem(word)]));
}

/** What is wrong with a sentence, so that its writer can correct it; undefined if nothing is. */
type Rule = (parts: SentenceParts) => string | undefined;
