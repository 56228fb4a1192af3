import { fillerWords, prepositions } from "./grammar-words.ts";
import { type Meaning, type Phrase, phrase } from "./phrases.ts";

const word = "(?!(?:or|nor|and|but)\\b)\\p{L}[\\p{L}\\p{N}'-]*";
/** What may stand between the "not" and the thing: "nothing made of", "not from". */
const link =
  "(?:(?:a|an|the|any|made (?:of|from|in|by)|of|from|by|in|with|containing|that (?:is|has|have|are)) )*";
const materials =
  "leather|plastic|metal|steel|wool|woollen|cotton|wood|wooden|glass|ceramic|nylon|polyester|suede|silk|paper|rubber|toxic";

const left =
  (index: number) =>
  (match: RegExpExecArray): Meaning | undefined => {
    const things = (match[index] ?? "").split(/,|\b(?:or|nor|and no|and not|and without)\b/).map(firstThing);
    const without = things.filter((thing) => thing !== "");
    return without.length > 0 ? { constraints: { without } } : undefined;
  };

/** "leather please" → "leather": a thing ends where grammar begins, and has two words at most. */
function firstThing(text: string): string {
  const words = text.trim().split(/\s+/);
  const start = words.findIndex((candidate) => !fillerWords.has(candidate) && !prepositions.has(candidate));
  const thing = start < 0 ? [] : words.slice(start, start + 2);
  const end = thing.findIndex((candidate) => fillerWords.has(candidate) || prepositions.has(candidate));
  return (end < 0 ? thing : thing.slice(0, end)).join(" ");
}

const more = `(?:(?:,? (?:or|nor|and no|and not|and without) ${link})${word}(?: ${word})?)*`;

/** After the price phrases, which read "no more than 50"; before colours and names. */
export const negationPhrases: readonly Phrase[] = [
  // A thing of one or two words follows: "without shoulder strap".
  phrase(
    `\\b(?:without|w/o|except(?: for)?|excluding|other than|apart from|anything but|but not|free (?:of|from)|(?:i )?(?:hate|dislike|avoid)) ${link}(${word}(?: ${word})?${more})`,
    left(1),
  ),
  // A property of one word follows: "not leather shoes" are shoes.
  phrase(
    `\\b(?:(?:that|which) )?(?:(?:is|are|do|does) )?(?:not|no|nothing|never|isn't|aren't|(?:don't|doesn't|do not|does not) (?:want|like|need|have|contain)(?: any)?) ${link}(${word}(?:,? (?:or|nor|and no|and not) ${link}${word})*)`,
    left(1),
  ),
  phrase(`\\bnon[ -](${materials})\\b`, left(1)),
];
