import type { ShopperRequest } from "@product-search/testing/deep-search/expected-answer.ts";
import type { DeepSearchResult } from "@product-search/types";

/** What an answer has that its request does not allow, or lacks. */
export function faultsOf(
  { aiResponse, topProducts }: DeepSearchResult,
  { kinds, not, first, min = 0, max = Number.POSITIVE_INFINITY, order, says }: ShopperRequest,
): string[] {
  const [best] = topProducts;
  const column = topProducts.map(({ price, averageRating = 0 }) =>
    order === "rating desc" ? averageRating : price,
  );
  const inOrder = column.toSorted((one, other) => (order === "price asc" ? one - other : other - one));
  return [
    ...(topProducts.length > 0 === (kinds !== undefined) ? [] : ["finds nothing, or what is not there"]),
    ...topProducts.flatMap(({ name, price }) => [
      ...((kinds?.test(name) ?? true) && !not?.test(name) ? [] : [`another kind: ${name}`]),
      ...(price >= min && price <= max ? [] : [`price: ${price}`]),
    ]),
    ...(best !== undefined && first?.test(best.name) === false ? [`first: ${best.name}`] : []),
    ...(order !== undefined && column.join() !== inOrder.join() ? ["another order"] : []),
    ...(says === undefined || says.test(aiResponse) ? [] : [`says: ${aiResponse}`]),
  ];
}
