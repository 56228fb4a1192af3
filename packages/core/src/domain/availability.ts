import { fold } from "./name-list.ts";
import wordsByLanguage from "./words/availability.json" with { type: "json" };

export const availabilities = ["in_stock", "out_of_stock", "preorder", "backorder"] as const;

/** The normalised value; words of feeds and marketplaces are converted to it. */
export type Availability = (typeof availabilities)[number];

const texts: Record<Availability, string> = {
  in_stock: "In stock",
  out_of_stock: "Out of stock",
  preorder: "Available for preorder",
  backorder: "On backorder",
};

/** The human-readable text of marketplace products. */
export function availabilityText(availability: Availability): string {
  return texts[availability];
}

// The words that shops use, by language. Case, accents, `_`, `-` and `.` are ignored.

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
