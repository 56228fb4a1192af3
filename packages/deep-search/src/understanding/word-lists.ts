import { comparable } from "./colours.ts";
import madeOf from "./words/made-of.json" with { type: "json" };
import servedBy from "./words/served-by.json" with { type: "json" };
import shades from "./words/shades.json" with { type: "json" };

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/u));
const comparables = (...lists: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(lists.flatMap((list) => [...list].map(comparable)));

/** Wishes for something good: well-rated products come first. */
export const qualityWords: ReadonlySet<string> = words(`
  good better nice great lovely decent superb fantastic wonderful excellent fine perfect quality high-quality
  well-made reliable dependable
`);
/** Opinions: products described like this come first. */
export const opinionWords: ReadonlySet<string> = words(`
  comfortable comfy cosy cozy stylish elegant chic classy pretty beautiful handsome attractive fancy modern
  contemporary classic timeless durable sturdy robust solid practical handy useful versatile cute funny cool
  trendy fashionable unique special original long-lasting beginner-friendly small big large little tiny
`);
/** "A gift" is not a thing: products described as one come first. */
export const giftWords: ReadonlySet<string> = words(`
  gift gifts present presents giveaway souvenir birthday christmas xmas anniversary valentine valentines
`);
export const peopleWords: ReadonlySet<string> = words(`
  mother mom mum mommy mummy father dad daddy papa parents wife husband spouse girlfriend boyfriend fiance
  fiancee partner friend friends sister brother sibling daughter son uncle aunt cousin niece nephew grandma
  grandmother grandpa grandfather granny grandparents boss colleague coworker neighbour neighbor teacher
  roommate flatmate someone somebody guy lady host hostess
`);
/** "A coffee lover" needs coffee. */
export const enthusiastWords: ReadonlySet<string> = words(`
  lover lovers fan fans enthusiast enthusiasts addict addicts drinker drinkers nerd nerds geek geeks buff
  buffs freak freaks junkie aficionado owner owners fanatic
`);
/** Whom a product is made for. */
export const audienceWords: ReadonlySet<string> = words(`
  kid kids child children toddler toddlers baby babies boy boys girl girls teen teens teenager teenagers man
  men mens woman women womens ladies gentlemen adult adults
`);
/** Where a thing is used. */
export const roomWords = comparables(
  words(`
  kitchen bathroom bedroom livingroom living room office home house garden balcony terrace patio garage
  hallway study workshop classroom gym beach city studio flat apartment dorm nursery attic cellar basement car
  boat pool yard lawn outdoors outdoor indoors indoor desk bedside
`),
);
/** Where and when a thing is used: for all things of a request, if it comes after the last one. */
export const placeWords = comparables(
  roomWords,
  words(`
    summer winter spring autumn fall christmas birthday wedding party parties halloween easter holiday holidays
    weekend weekends evening evenings morning night nights vacation festival festivals picnic dinner breakfast
    lunch trip trips travel journey flight flights commute rain snow cold heat storm
  `),
);
/** Words for the purpose of a product, which are not products themselves. */
export const topicWords = comparables(
  roomWords,
  placeWords,
  audienceWords,
  words(`
    sport sports school work yoga fitness tennis football soccer golf baseball basketball music games art crafts
    craft diy tea coffee wine beer sleep marathon triathlon ballet chess students student pets pet dog dogs cat
    cats beginners beginner unisex
  `),
);

/** Features that serve a purpose, although the texts do not name it: "noise cancelling" for a flight. Best first. */
export const featuresServing: ReadonlyMap<string, readonly string[]> = new Map(
  servedBy.flatMap(({ asked: needs, by }) => needs.map((word) => [comparable(word), by] as const)),
);

/** Materials that the index finds for a general word by its synonyms: oak for "wooden". */
export const materialsFor: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(madeOf));

/** Who rules out red does not want burgundy either. */
export const shadesOf: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(shades));
