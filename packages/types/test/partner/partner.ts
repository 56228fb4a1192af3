// A partner's file, compiled with the oldest supported TypeScript.
import {
  type ErrorCode,
  type PriceAlertEvent,
  type Product,
  type SearchTrialOperation,
  statusOfCode,
  type WebhookEvent,
} from "@product-search/types";

type Response = SearchTrialOperation["responses"][200]["content"]["application/json"];

export const cheapest = ({ Products }: Response): Product | undefined =>
  Products.sort((a, b) => a.price - b.price)[0];

export const isPrice = (event: WebhookEvent): event is PriceAlertEvent => event.type === "price.alert";

export const isOurs = (code: ErrorCode): boolean => statusOfCode[code] >= 500;
