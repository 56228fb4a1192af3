import { comparable } from "./same-word.ts";
import groupRows from "./words/groups.json" with { type: "json" };
import purposeRows from "./words/purposes.json" with { type: "json" };
import topics from "./words/topics.json" with { type: "json" };
import wishes from "./words/wishes.json" with { type: "json" };

/** Wishes for something good: they put what is well rated first. */
export const qualityWords: ReadonlySet<string> = new Set(wishes.quality);
/** Opinions: what is described so comes first. */
export const opinionWords: ReadonlySet<string> = new Set(wishes.opinions);
/** "A gift" is no thing; what is described as one comes first. */
export const giftWords: ReadonlySet<string> = new Set(wishes.gifts);
export const peopleWords: ReadonlySet<string> = new Set(wishes.people);
/** "A coffee lover" asks for coffee. */
export const enthusiastWords: ReadonlySet<string> = new Set(wishes.enthusiasts);
/** What a product is for, and no product itself. */
export const topicWords: ReadonlySet<string> = new Set(Object.values(topics).flat().map(comparable));

/** What one wants to do, and the everyday things that it is done with. */
export interface Purpose {
  /** All of these words must be there; the first of them is what one does. */
  verbs: readonly string[];
  kinds: readonly string[];
}
/** Words for many kinds of things: "clothes", "furniture". */
export const groups: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(groupRows).map(([group, kinds]) => [comparable(group), kinds]),
);
export const purposes: readonly Purpose[] = purposeRows;
