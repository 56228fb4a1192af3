import type { ProductVariant } from "@product-search/types";
import { absoluteAddress } from "../absolute-address.ts";
import { fromMinor } from "../price/money.ts";
import type { StoredProduct } from "../product.ts";
import type { Presentation } from "./to-product.ts";

/** A member of a group in the form of responses. */
export function toVariant(product: StoredProduct, { publicUrl, currency }: Presentation): ProductVariant {
  const [image] = product.images;
  return {
    _id: product.id,
    key: product.key,
    slug: product.slug,
    url: absoluteAddress(product.url, publicUrl),
    price: fromMinor(product.priceMinor, currency),
    availability: product.availability,
    attributes: product.attributes ?? {},
    ...(image !== undefined && { image: absoluteAddress(image, publicUrl) }),
  };
}
