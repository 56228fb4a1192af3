import type { Availability } from "@product-search/core/domain/availability.ts";
import { availabilities } from "@product-search/core/domain/availability.ts";
import { htmlToText } from "@product-search/core/domain/feed-values.ts";
import { productId } from "@product-search/core/domain/identity.ts";
import { parsePriceMinor } from "@product-search/core/domain/price/money.ts";
import type { MarketplaceListing } from "@product-search/core/domain/product.ts";
import type { Marketplace } from "@product-search/core/ports/marketplace-source.ts";
import type { Expression, Json } from "./expression.ts";
import { compileExpression } from "./expression.ts";
import type { Field, Profile, Transform } from "./profile.ts";
import { optionalFields, requiredFields } from "./profile.ts";

const maxTextLength = 10_000;

const maxMinor = 1e15;

const ownTransform: Record<Field, Transform> = {
  itemCode: "text",
  name: "html",
  price: "money",
  url: "url",
  currency: "text",
  originalPrice: "money",
  images: "url",
  brand: "html",
  storeName: "html",
  description: "html",
  availability: "availability",
  averageRating: "number",
  reviewCount: "number",
};

const maxShown = 60;

/** One entry of the marketplace's list: a product, or the reason why it was dropped. */
export interface MappedItem {
  /** Its item code if it has one, to recognise it on another page. */
  code: string | undefined;
  listing?: MarketplaceListing;
  /** Why there is no listing. */
  dropped?: string;
  /** Fields with an invalid value, which were left out. */
  notes: string[];
}

export type MapItem = (entry: Json) => MappedItem;

const maxImages = 20;
const maxCodeLength = 200;
const maxRating = 5;

export function createItemMapper(profile: Profile, marketplace: Marketplace): MapItem {
  const readFields = createFieldReader(profile);
  return (entry) => {
    const { text, number, texts, notes } = readFields(entry);
    const code = text("itemCode")?.slice(0, maxCodeLength);
    const name = text("name");
    const url = text("url");
    const priceMinor = number("price");
    const currency = profile.item.currency === undefined ? profile.currency : text("currency");
    const drop = (dropped: string): MappedItem => ({ code, dropped, notes });
    if (code === undefined) return drop("has no itemCode");
    if (name === undefined) return drop("has no name");
    if (url === undefined) return drop("has no url, or an invalid one");
    if (priceMinor === undefined) return drop("has no price, or an invalid one");
    if (currency !== profile.currency) return drop(`has the currency ${currency}, not ${profile.currency}`);

    const brand = text("brand");
    const originalPriceMinor = number("originalPrice");
    const averageRating = number("averageRating");
    const listing: MarketplaceListing = {
      id: productId(marketplace, code),
      key: code,
      slug: code,
      name,
      url,
      priceMinor,
      storeName: text("storeName") ?? profile.name,
      description: text("description") ?? "",
      images: texts("images").slice(0, maxImages),
      // Marketplaces list what can be bought, so in stock is the default.
      availability: availabilities.find((word) => word === text("availability")) ?? "in_stock",
      reviewCount: Math.round(number("reviewCount") ?? 0),
      ...(brand !== undefined && { brand }),
      ...(originalPriceMinor !== undefined && { originalPriceMinor }),
      ...(averageRating !== undefined && averageRating <= maxRating && { averageRating }),
    };
    return { code, listing, notes };
  };
}

/** Reads the fields of one entry according to the profile. */
interface EntryFields {
  text(field: Field): string | undefined;
  number(field: Field): number | undefined;
  texts(field: Field): string[];
  /** The fields so far that had an invalid value. */
  notes: string[];
}

function createFieldReader(profile: Profile): (entry: Json) => EntryFields {
  const transforms = createTransforms(profile);
  const fields = new Map<Field, { evaluate: Expression; transform: Transform }>();
  for (const field of [...requiredFields, ...optionalFields]) {
    const mapping = profile.item[field];
    if (mapping === undefined) continue;
    const path = typeof mapping === "string" ? mapping : mapping.path;
    const transform = typeof mapping === "string" ? ownTransform[field] : mapping.transform;
    fields.set(field, { evaluate: compileExpression(path), transform });
  }

  return (entry) => {
    const notes: string[] = [];
    const values = (field: Field): (string | number)[] => {
      const mapping = fields.get(field);
      if (!mapping) return [];
      return evaluateAll(mapping.evaluate, entry, field, notes).flatMap((value) => {
        const made = transforms[mapping.transform](value);
        if (made === undefined && value !== "")
          notes.push(`${field}: ${shown(value)} is not a valid ${mapping.transform}`);
        return made ?? [];
      });
    };
    return {
      notes,
      text: (field) => values(field).map(String)[0],
      number: (field) => values(field).find((value) => typeof value === "number"),
      texts: (field) => values(field).map(String),
    };
  };
}

/** Every value of a list. If the expression fails on this entry, there are none. */
function evaluateAll(evaluate: Expression, entry: Json, field: Field, notes: string[]): Json[] {
  try {
    const found = evaluate(entry);
    return (Array.isArray(found) ? found : [found]).filter((value) => value !== null);
  } catch (error) {
    notes.push(`${field}: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

function shown(value: Json): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, maxShown));
  return typeof value === "object" ? "an object" : String(value);
}

type TransformSettings = Pick<Profile, "baseUrl" | "currency" | "availabilityWords">;

/** Converts a value of the marketplace's response; undefined if it is not valid for the transform. */
function createTransforms(
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
