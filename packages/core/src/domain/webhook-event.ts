import type { WebhookEvent } from "@product-search/types";
import { type Presentation, toAnyProduct } from "./mapping/to-product.ts";
import { fromMinor } from "./price/money.ts";
import type { PriceEntry, StoredProduct } from "./product.ts";

/** In the order of the events of one change. */
export const webhookTypes = ["price.alert", "stock.alert"] as const;
export type WebhookType = (typeof webhookTypes)[number];

export function asWebhookType(text: string): WebhookType {
  const type = webhookTypes.find((one) => one === text);
  if (type === undefined) throw new Error(`The store holds a webhook of the unknown type "${text}".`);
  return type;
}

/** A change of a product: its state before and after. */
export interface ProductChange {
  previous: StoredProduct;
  current: StoredProduct;
}

/** The field of a product whose changes give events. */
const watchedFields = {
  "price.alert": "priceMinor",
  "stock.alert": "availability",
} as const satisfies Record<WebhookType, keyof StoredProduct>;

/** The event types of the change; none if neither price nor availability differs. */
export function eventTypesOf({ previous, current }: ProductChange): WebhookType[] {
  return webhookTypes.filter((type) => {
    const field = watchedFields[type];
    return previous[field] !== current[field];
  });
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
  switch (type) {
    case "stock.alert": {
      const stateOf = ({ availability }: StoredProduct) => ({ availability });
      return {
        type,
        timestamp,
        data: { ...subject, previous: stateOf(previous), current: stateOf(current) },
      };
    }
    case "price.alert": {
      const priceOf = ({ priceMinor }: StoredProduct) => ({
        price: fromMinor(priceMinor, presentation.currency),
      });
      return {
        type,
        timestamp,
        data: { ...subject, previous: priceOf(previous), current: priceOf(current) },
      };
    }
    default:
      return type satisfies never;
  }
}
