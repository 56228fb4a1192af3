import { alternation } from "./alternation.ts";
import { noMeasure } from "./measures.ts";
import { type Meaning, type Phrase, phrase } from "./phrase-table.ts";
import rating from "./words/rating.json" with { type: "json" };

/** A single digit that is not part of a fraction, as in "6-3/5 in.". */
const digit = "(?<![\\d.] ?[-/]? ?)(?<!\\w)(\\d(?:\\.\\d+)?)(?![\\d.]*\\d)";
const orMore = `(?:\\s?\\+|,? ${alternation(rating.orMore)})`;
const atLeast = alternation(rating.atLeast);
const stars = alternation(rating.stars);
const outOfFive = `(?: ?(?:out of|/) ?5(?!\\d)${noMeasure})`;
const wellRated = 4;

const rated = (match: RegExpExecArray): Meaning | undefined => {
  const least = Number(match[1]);
  return least <= 5 ? { constraints: { minRating: least } } : undefined;
};

/** Applied before the price phrases: "over 4 stars" is not a price. */
export const ratingPhrases: readonly Phrase[] = [
  phrase(
    `(?:\\b(?:that (?:is|are) |which (?:is|are) )?(?:rated|rating|ratings|reviews?|scored?|with)(?: of| is| are)? )?(?:${atLeast} (?:of )?)?${digit}${orMore}?[\\s-]*${stars}(?: rated| ratings?| reviews?)?${orMore}?`,
    rated,
  ),
  // "Fire rated 2 hours" is another kind of rating: only the end of the phrase may follow.
  phrase(
    `\\b(?:with (?:a |an )?)?(?:average )?(?:rated|ratings?|scored?|scores?)(?: of| is| are)?(?: ${atLeast})?(?: of)? ${digit}(?:${orMore}|${outOfFive})?(?=$| ?[,⟦]| (?:and|or|in|for|with|under|below|from|please)\\b)`,
    rated,
  ),
  phrase(`${digit}${outOfFive}${orMore}?`, rated),
  phrase(`${digit}${orMore} (?:ratings?|rated|reviews?)`, rated),
  phrase(
    "\\b(?:that (?:is|are) )?(?:with )?(?:(?:well|highly|very well|excellently)[ -](?:rated|reviewed)|(?:good|great|excellent|high|positive|strong|top) (?:reviews|ratings?))",
    () => ({ constraints: { minRating: wellRated } }),
  ),
];
