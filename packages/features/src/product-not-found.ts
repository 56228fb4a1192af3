import { ApiError } from "@product-search/core/errors.ts";

export function productNotFound(): ApiError {
  return new ApiError(
    "product_not_found",
    "product_id: no product has this identifier. Send the _id of a product from a response, percent-encoded.",
  );
}
