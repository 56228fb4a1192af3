import type { AnyProduct } from "@product-search/types";
import { categoryPathsOf } from "../category-paths.ts";
import {
  type FieldKind,
  memberOf,
  type OptionalField,
  optionalFields,
  type productMembers,
  type RowField,
  ruleOf,
} from "../fields.ts";
import { fromMinor } from "../price/money.ts";
import type { MarketplaceListing } from "../product.ts";

type MembersOf<Field> = {
  [Member in keyof typeof productMembers]: (typeof productMembers)[Member] extends Field ? Member : never;
}[keyof typeof productMembers];
/** A member that the schema of one of them lacks does not compile. */
type OptionalFields = Pick<
  AnyProduct,
  MembersOf<Exclude<OptionalField & RowField, "custom">> | "currency" | "reviewCount"
>;

const shownKinds: readonly FieldKind[] = ["label", "code", "gtin", "number", "attributes", "time"];
/** Those that are shown as they are, and times. */
const plainFields = optionalFields
  .filter((field) => ruleOf(field).by === "row" && shownKinds.includes(ruleOf(field).kind))
  .map((field) => ({ field, member: memberOf(field), isTime: ruleOf(field).kind === "time" }));

/** The fields that products of the catalog and of the marketplaces have in common; what is unknown is left out. */
export function toOptionalFields(product: MarketplaceListing, currency: string): OptionalFields {
  const { priceMinor, originalPriceMinor = 0, reviewCount, tags = [] } = product;
  const [path] = categoryPathsOf(product);
  const fields: OptionalFields = {
    currency,
    ...(path !== undefined && { categoryPath: path }),
    ...(originalPriceMinor > priceMinor && { originalPrice: fromMinor(originalPriceMinor, currency) }),
    ...(reviewCount > 0 && { reviewCount }),
    ...(tags.length > 0 && { tags: [...tags] }),
  };
  const plain: Record<string, unknown> = fields;
  for (const { field, member, isTime } of plainFields) {
    const value = product[field];
    if (value !== undefined) plain[member] = isTime ? new Date(Number(value)).toISOString() : value;
  }
  return fields;
}
