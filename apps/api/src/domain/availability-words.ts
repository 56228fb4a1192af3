import { type Availability, availabilities } from "./availability.ts";
import { fold } from "./fold.ts";
// What shops write, by language. Case, accents, `_`, `-` and `.` make no difference.
import wordsByLanguage from "./words/availability.json" with { type: "json" };

const availabilityByWord = new Map<string, Availability>(
  availabilities.flatMap((availability) =>
    Object.values(wordsByLanguage[availability])
      .flat()
      .map((word) => [plain(word), availability] as const),
  ),
);

/** The normalised availability that a feed's words mean, in any of the languages that feeds are written in. */
export function parseAvailability(text: string): Availability | undefined {
  return availabilityByWord.get(text) ?? availabilityByWord.get(plain(text));
}

/** Schema.org's addresses, as in `https://schema.org/InStock`, count as their last part. */
function plain(text: string): string {
  return fold(text.replace(/^https?:\/\/schema\.org\//i, ""))
    .replace(/[\s_\-.]+/gu, " ")
    .trim();
}
