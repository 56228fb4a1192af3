import type { WebhookEvent } from "@product-search/types";
import { toAnyProduct } from "./mapping/to-any-product.ts";
import type { Presentation } from "./mapping/to-product.ts";
import { fromMinor } from "./price/money.ts";
import type { PriceEntry, StoredProduct } from "./product.ts";

export const webhookTypes = ["stock.alert", "price.alert"] as const;
export type WebhookType = (typeof webhookTypes)[number];

export function asWebhookType(text: string): WebhookType {
  const type = webhookTypes.find((known) => known === text);
  if (type === undefined) throw new Error(`The store holds a webhook of the unknown type "${text}".`);
  return type;
}

/** A change of a product: its state before and after. */
export interface ProductChange {
  previous: StoredProduct;
  current: StoredProduct;
}

/** The event types of the change; none if neither price nor availability differs. */
export function eventTypesOf({ previous, current }: ProductChange): WebhookType[] {
  const types: WebhookType[] = [];
  if (previous.priceMinor !== current.priceMinor) types.push("price.alert");
  if (previous.availability !== current.availability) types.push("stock.alert");
  return types;
}

/** The body of a delivery. `history` is the history after the change, oldest first. */
export function toWebhookEvent(
  type: WebhookType,
  change: ProductChange,
  history: readonly PriceEntry[],
  atMs: number,
  presentation: Presentation,
): WebhookEvent {
  const { previous, current } = change;
  const timestamp = new Date(atMs).toISOString();
  const subject = { productId: current.id, product: toAnyProduct(current, history, presentation) };
  if (type === "stock.alert") {
    const data = {
      ...subject,
      previous: { availability: previous.availability },
      current: { availability: current.availability },
    };
    return { type, timestamp, data };
  }
  const priceOf = (product: StoredProduct) => ({
    price: fromMinor(product.priceMinor, presentation.currency),
  });
  return { type, timestamp, data: { ...subject, previous: priceOf(previous), current: priceOf(current) } };
}
