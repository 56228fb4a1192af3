import { comparable } from "./same-word.ts";
import madeOf from "./words/made-of.json" with { type: "json" };
import purposeRows from "./words/purposes.json" with { type: "json" };
import servedBy from "./words/served-by.json" with { type: "json" };
import shades from "./words/shades.json" with { type: "json" };
import topics from "./words/topics.json" with { type: "json" };
import wishes from "./words/wishes.json" with { type: "json" };

/** Wishes for something good: well-rated products come first. */
export const qualityWords: ReadonlySet<string> = new Set(wishes.quality);
/** Opinions: products described like this come first. */
export const opinionWords: ReadonlySet<string> = new Set(wishes.opinions);
/** "A gift" is not a thing: products described as one come first. */
export const giftWords: ReadonlySet<string> = new Set(wishes.gifts);
export const peopleWords: ReadonlySet<string> = new Set(wishes.people);
/** "A coffee lover" needs coffee. */
export const enthusiastWords: ReadonlySet<string> = new Set(wishes.enthusiasts);
/** Whom a product is made for. */
export const audienceWords: ReadonlySet<string> = new Set(wishes.audience);
/** Words for the purpose of a product, which are not products themselves. */
export const topicWords: ReadonlySet<string> = new Set(
  [...Object.values(topics).flat(), ...wishes.audience].map(comparable),
);

/** Activities whose everyday things the learned meaning of words does not find. */
export interface Purpose {
  /** All of these words must be present. The first one is the activity. */
  verbs: readonly string[];
  kinds: readonly string[];
}
export const purposes: readonly Purpose[] = purposeRows;

/** Features that serve a purpose, although the texts do not name it: "noise cancelling" for a flight. Best first. */
export const featuresServing: ReadonlyMap<string, readonly string[]> = new Map(
  servedBy.flatMap(({ asked: needs, by }) => needs.map((word) => [comparable(word), by] as const)),
);

/** Materials that the index finds for a general word by its synonyms: oak for "wooden". */
export const materialsFor: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(madeOf));

/** Who rules out red does not want burgundy either. */
export const shadesOf: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(shades));
/** Where and when a thing is used: for all things of a request, if it comes after the last one. */
export const placeWords: ReadonlySet<string> = new Set(
  [...topics.places, ...topics.occasions].map(comparable),
);
export const roomWords: ReadonlySet<string> = new Set(topics.places.map(comparable));
