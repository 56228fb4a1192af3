import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { Step } from "./steps.ts";

/** The result that a client got from a successful step. */
export interface Told {
  id?: string;
  apiKey?: string;
}

/** The expected contents of the database, in a form that can be compared. */
export interface Effects {
  /** For each webhook that is not deleted: its current key, and the former keys that are valid. */
  webhooks: Record<string, { key: string; former: string[] }>;
  /** `webhook kind change`, one for each delivery of a webhook that is not deleted. */
  deliveries: string[];
  /** Each product with all its prices, oldest first. */
  products: string[];
}

interface Webhook {
  step: Extract<Step, { kind: "create" }>;
  id: string;
  keys: string[];
}

/** The result of the steps if each was done once. */
export function expectedEffects(steps: readonly Step[], told: readonly Told[]): Effects {
  const webhooks = new Map<number, Webhook>();
  const deliveries: Delivery[] = [];
  const catalog: Catalog = new Map();
  const find = (number: number): Webhook => {
    const webhook = webhooks.get(number);
    if (webhook === undefined) throw new Error(`Step ${number} created no webhook.`);
    return webhook;
  };
  for (const [number, step] of steps.entries()) {
    const { id = "", apiKey = "" } = told[number] ?? {};
    switch (step.kind) {
      case "create":
        webhooks.set(number, { step, id, keys: [apiKey] });
        break;
      case "rotate": {
        const webhook = find(step.webhook);
        webhook.keys = [apiKey, ...(step.revokeFormer ? [] : webhook.keys)];
        break;
      }
      case "test":
        deliveries.push({ webhook: step.webhook, text: `test ${id}` });
        break;
      case "delete":
        webhooks.delete(step.webhook);
        break;
      case "feed":
        for (const row of step.rows) deliveries.push(...applyRow(row, catalog, webhooks));
        break;
      case "write":
        for (const row of step.rows) deliveries.push(...applyRow(row, catalog, webhooks));
        for (const key of step.removed) deliveries.push(...applyRemoval(key, catalog, webhooks));
        break;
      case "remove":
        deliveries.push(...applyRemoval(step.key, catalog, webhooks));
    }
  }
  return {
    webhooks: Object.fromEntries(
      [...webhooks.values()].map(({ id, keys: [key = "", ...former] }) => [
        id,
        { key, former: former.toSorted() },
      ]),
    ),
    deliveries: deliveries
      .filter(({ webhook }) => webhooks.has(webhook))
      .map(({ webhook, text }) => `${find(webhook).id} ${text}`)
      .toSorted(),
    products: [...catalog.values()]
      .map(({ row, prices }) => `${row.key} ${row.availability} ${prices.join(",")}`)
      .toSorted(),
  };
}

type Catalog = Map<string, { row: ProductInput; prices: number[] }>;

interface Delivery {
  webhook: number;
  text: string;
}

/** A product that is deleted becomes out of stock first. */
function applyRemoval(key: string, catalog: Catalog, webhooks: ReadonlyMap<number, Webhook>): Delivery[] {
  const before = catalog.get(key);
  if (before === undefined) return [];
  const deliveries = applyRow({ ...before.row, availability: "out_of_stock" }, catalog, webhooks);
  catalog.delete(key);
  return deliveries;
}

function applyRow(row: ProductInput, catalog: Catalog, webhooks: ReadonlyMap<number, Webhook>): Delivery[] {
  const before = catalog.get(row.key);
  if (before === undefined) {
    catalog.set(row.key, { row, prices: [row.priceMinor] });
    return [];
  }
  const isRepriced = before.row.priceMinor !== row.priceMinor;
  catalog.set(row.key, { row, prices: isRepriced ? [...before.prices, row.priceMinor] : before.prices });
  return [...webhooks].flatMap(([webhook, { step }]) => {
    const id = productId("catalog", row.key);
    if (step.productIds !== undefined && !step.productIds.includes(id)) return [];
    const [from, to] =
      step.type === "price.alert"
        ? [before.row.priceMinor / 100, row.priceMinor / 100]
        : [before.row.availability, row.availability];
    return from === to ? [] : [{ webhook, text: `event ${id} ${from} → ${to}` }];
  });
}
