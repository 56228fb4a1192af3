import { type Meaning, type Phrase, phrase } from "./phrases.ts";

const number = "(\\d(?:\\.\\d+)?)(?![\\d.]*\\d)";
const orMore = "(?:\\s?\\+|,? (?:plus|(?:or|and) (?:more|higher|better|up|above|over)))";
const atLeast =
  "(?:at least|over|above|more than|better than|higher than|minimum|min|from|no less than|>=?|≥)";
const wellRated = 4;

const rated = (match: RegExpExecArray): Meaning | undefined => {
  const stars = Number(match[1]);
  return stars <= 5 ? { constraints: { minRating: stars } } : undefined;
};

export const ratingPhrases: readonly Phrase[] = [
  phrase(
    `(?:\\b(?:that (?:is|are) |which (?:is|are) )?(?:rated|rating|ratings|reviews?|scored?|with)(?: of| is| are)? )?(?:${atLeast} (?:of )?)?(?<![\\d.])${number}${orMore}?[\\s-]*stars?(?: rated| ratings?| reviews?)?${orMore}?`,
    rated,
  ),
  phrase(
    `\\b(?:with (?:a |an )?)?(?:average )?(?:rated|ratings?|scored?|scores?|reviews?)(?: of| is| are)?(?: ${atLeast})?(?: of)? ${number}${orMore}?(?: ?(?:out of|/) ?5)?`,
    rated,
  ),
  phrase(`(?<![\\d.])${number} ?(?:out of|/) ?5(?!\\d)${orMore}?`, rated),
  phrase(`(?<![\\d.])${number}${orMore} (?:ratings?|rated|reviews?)`, rated),
  phrase(
    "\\b(?:that (?:is|are) )?(?:with )?(?:(?:well|highly|very well|excellently)[ -](?:rated|reviewed)|(?:good|great|excellent|high|positive|strong|top) (?:reviews|ratings?))",
    () => ({ constraints: { minRating: wellRated } }),
  ),
];
