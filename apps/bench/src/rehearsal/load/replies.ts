import { fieldsOf, listOf } from "../figures.ts";
import type { Reply } from "./cluster-client.ts";

/** The products of a search, with the time of their current price. */
export function productsOf(reply: Reply | undefined): { id: string; price: number; pricedMs: number }[] {
  return listOf(fieldsOf(reply?.body).Products).map((product) => ({
    id: String(product._id),
    price: Number(product.price),
    pricedMs: Date.parse(String(listOf(product.priceHistory).at(-1)?.date)),
  }));
}

/** Undefined if the search failed. */
export function totalOf(reply: Reply | undefined): number | undefined {
  const { count } = fieldsOf(reply?.body);
  return reply?.status === 200 && typeof count === "number" ? count : undefined;
}
