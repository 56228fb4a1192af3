import { type Availability, availabilities } from "@product-search/core/domain/availability.ts";
import { fromMinor, toMinor } from "@product-search/core/domain/price/money.ts";
import type { ProductInput, StoredProduct } from "@product-search/core/domain/product.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { CatalogStore } from "@product-search/core/ports/catalog-store.ts";
import { currency } from "./settings.ts";

/** A change that a partner wants to see the alerts of. */
export interface ProductChange {
  productId: string;
  price?: number;
  availability?: Availability;
}

const maxPrice = 1_000_000;
const example =
  'Send {"productId": "…", "price": 9.99} or {"productId": "…", "availability": "out_of_stock"}.';

export function readChange(body: unknown): ProductChange {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new ApiError("invalid_request", `body: is not an object. ${example}`);
  const { productId, price, availability, ...others } = Object(body);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new ApiError("invalid_request", `${unknown}: is not a known field. ${example}`);
  if (typeof productId !== "string")
    throw new ApiError("invalid_request", `productId: is missing. ${example}`);
  if (price === undefined && availability === undefined)
    throw new ApiError("invalid_request", `price: is missing, and so is availability. ${example}`);
  return {
    productId,
    ...(price !== undefined && { price: readPrice(price) }),
    ...(availability !== undefined && { availability: readAvailability(availability) }),
  };
}

/** Applies the change as a feed would bring it: price history, events and deliveries come with it. */
export async function changeProduct(
  catalogStore: Pick<CatalogStore, "findById" | "apply">,
  { productId, price, availability }: ProductChange,
): Promise<{ previous: StoredProduct; current: StoredProduct }> {
  const previous = await catalogStore.findById(productId);
  if (previous === undefined)
    throw new ApiError(
      "product_not_found",
      "productId: no product has this identifier. Send the _id of a product from a response.",
    );
  await catalogStore.apply([
    {
      ...toInput(previous),
      ...(price !== undefined && { priceMinor: toMinor(price, currency) }),
      ...(availability !== undefined && { availability }),
    },
  ]);
  return { previous, current: (await catalogStore.findById(productId)) ?? previous };
}

/** What the change endpoint shows of a product. */
export function toChangeState({ priceMinor, availability }: StoredProduct) {
  return { price: fromMinor(priceMinor, currency), availability };
}

function readPrice(price: unknown): number {
  if (typeof price === "number" && price >= 0 && price <= maxPrice) return price;
  throw new ApiError("invalid_request", `price: is not a number from 0 to ${maxPrice}.`);
}

function readAvailability(word: unknown): Availability {
  const known = availabilities.find((one) => one === word);
  if (known !== undefined) return known;
  throw new ApiError("invalid_request", `availability: is not one of ${availabilities.join(", ")}.`);
}

/** What a feed says of a product: the rest is the store's own. */
function toInput(product: StoredProduct): ProductInput {
  const {
    rowId: _,
    id: __,
    slug: ___,
    discountVal: ____,
    serviceScore: _____,
    priceSinceMs: ______,
    createdAtMs: _______,
    updatedAtMs: ________,
    ...input
  } = product;
  return input;
}
