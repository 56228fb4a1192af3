import { type Availability, availabilities } from "@product-search/core/domain/availability.ts";
import { htmlToText } from "@product-search/core/domain/html-to-text.ts";
import { parsePriceMinor } from "@product-search/core/domain/price/parse-price.ts";
import type { Json } from "./expression.ts";
import type { Profile, Transform } from "./profile.ts";

export type TransformSettings = Pick<Profile, "baseUrl" | "currency" | "availabilityWords">;

const maxTextLength = 10_000;
const maxMinor = 1e15;

/** Converts a value of the marketplace's response; undefined if it is not valid for the transform. */
export function createTransforms(
  settings: TransformSettings,
): Record<Transform, (value: Json) => string | number | undefined> {
  const words = availabilityTable(settings.availabilityWords ?? {});
  return {
    text: (value) => text(value)?.trim() || undefined,
    html: (value) => htmlToText(text(value) ?? "") || undefined,
    money: (value) => parsePriceMinor(value, settings.currency),
    "minor-units": (value) => (isBetween(value, 0, maxMinor) ? Math.round(Number(value)) : undefined),
    number: (value) => (isBetween(value, 0, Number.MAX_SAFE_INTEGER) ? Number(value) : undefined),
    availability: (value) => words.get(text(value)?.trim().toLowerCase() ?? ""),
    url: (value) => absoluteUrl(text(value), settings.baseUrl),
  };
}

/** Also accepts numbers and booleans: item codes are often numbers, availability can be a boolean. */
function text(value: Json): string | undefined {
  if (typeof value === "string") return value.slice(0, maxTextLength);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function isBetween(value: Json, least: number, most: number): boolean {
  if (typeof value !== "number" && (typeof value !== "string" || value.trim() === "")) return false;
  return Number(value) >= least && Number(value) <= most;
}

/** The service's own words are always accepted. */
function availabilityTable(words: Record<string, Availability>): Map<string, Availability> {
  const own = availabilities.map((word): [string, Availability] => [word, word]);
  const theirs = Object.entries(words).map(([word, ours]): [string, Availability] => [
    word.toLowerCase(),
    ours,
  ]);
  return new Map([...own, ...theirs]);
}

function absoluteUrl(address: string | undefined, baseUrl: string): string | undefined {
  if (!address || !URL.canParse(address.trim(), baseUrl)) return undefined;
  const url = new URL(address.trim(), baseUrl);
  return /^https?:$/.test(url.protocol) && !url.username && !url.password ? url.href : undefined;
}
