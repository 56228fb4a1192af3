import { type Availability, availabilities } from "./availability.ts";
import { fold } from "./name-list.ts";
// The words that shops use, by language. Case, accents, `_`, `-` and `.` are ignored.
import wordsByLanguage from "./words/availability.json" with { type: "json" };

const availabilityByWord = new Map<string, Availability>(
  availabilities.flatMap((availability) =>
    Object.values(wordsByLanguage[availability])
      .flat()
      .map((word) => [plain(word), availability] as const),
  ),
);

/** The normalised availability for the words of a feed, in any of the supported languages. */
export function parseAvailability(text: string): Availability | undefined {
  return availabilityByWord.get(text) ?? availabilityByWord.get(plain(text));
}

/** Of a Schema.org URL such as `https://schema.org/InStock`, only the last part counts. */
function plain(text: string): string {
  return fold(text.replace(/^https?:\/\/schema\.org\//i, ""))
    .replace(/[\s_\-.]+/gu, " ")
    .trim();
}
