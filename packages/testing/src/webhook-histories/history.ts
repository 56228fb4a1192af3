import type { Availability } from "@product-search/core/domain/availability.ts";
import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { WebhookType } from "@product-search/core/domain/webhook-event.ts";
import { createRandom, type Random } from "./random.ts";

export interface PlannedWebhook {
  path: string;
  type: WebhookType;
  productIds?: string[];
}

export interface History {
  seed: number;
  webhooks: PlannedWebhook[];
  /** The batches of feeds; the first batch creates the products. */
  batches: ProductInput[][];
  /** The number of workers on the database during a life. */
  workers: number;
}

/** The end of a life by kill -9: the write at which it happens, and how far the clock jumps afterwards. */
export interface Kill {
  atWrite: number;
  jumpMs: number;
}

const availabilities = ["in_stock", "out_of_stock", "preorder", "backorder"] as const;
const keys = ["a", "b", "c", "d", "e"] as const;
const hourMs = 3_600_000;

/** The events of one history. The seed determines all of it. */
export function createHistory(seed: number): History {
  const random = createRandom(seed);
  const [first, second] = [productId("catalog", "a"), productId("catalog", "c")];
  return {
    seed,
    webhooks: [
      { path: "/prices", type: "price.alert" },
      { path: "/stock", type: "stock.alert" },
      { path: "/narrow", type: random.pick(["price.alert", "stock.alert"]), productIds: [first, second] },
    ],
    batches: createBatches(random),
    workers: random.integer(1, 2),
  };
}

/** The write at which the process with many histories is killed; the seed determines this as well. */
export function createKills(seed: number, histories: number): Kill[] {
  const random = createRandom(seed);
  return Array.from({ length: random.integer(2, 4) }, () => ({
    atWrite: random.integer(1, 100 * histories),
    jumpMs: random.chance(0.5) ? random.integer(-hourMs, hourMs) : 0,
  }));
}

function createBatches(random: Random): ProductInput[][] {
  const state = new Map<string, ProductInput>();
  return Array.from({ length: random.integer(4, 9) }, (_, number) => {
    const batch: ProductInput[] = [];
    for (const key of keys) {
      const known = state.get(key);
      if (number > 0 && random.chance(0.4)) continue;
      const product = known === undefined ? firstSight(key, random) : changed(known, random);
      state.set(key, product);
      batch.push(product);
    }
    return batch;
  });
}

function firstSight(key: string, random: Random): ProductInput {
  return {
    source: "catalog",
    key,
    name: `Product ${key}`,
    storeName: "Store",
    description: "",
    url: `/products/${key}`,
    images: [],
    priceMinor: random.integer(1, 5) * 100,
    availability: random.pick(availabilities),
  };
}

/** Often repeats a value or returns to an earlier one: neither may be reported as a change that did not happen. */
function changed(product: ProductInput, random: Random): ProductInput {
  const availability: Availability = random.chance(0.4) ? random.pick(availabilities) : product.availability;
  const priceMinor = random.chance(0.5) ? random.integer(1, 5) * 100 : product.priceMinor;
  const name = random.chance(0.2) ? `${product.name}!` : product.name;
  return { ...product, name, priceMinor, availability };
}

/** The catalog after each number of batches, from none to all: price and availability by key. */
export function statesOf({ batches }: History): Map<string, ProductInput>[] {
  const states = [new Map<string, ProductInput>()];
  for (const batch of batches) {
    const state = new Map(states.at(-1));
    for (const product of batch) state.set(product.key, product);
    states.push(state);
  }
  return states;
}

/** Every event that each webhook must get, once, in the order of the changes. */
export function expectedEvents(history: History): Map<string, string[]> {
  const states = statesOf(history);
  const expected = new Map<string, string[]>(history.webhooks.map(({ path }) => [path, []]));
  for (const [number, before] of states.entries()) {
    for (const [key, product] of states[number + 1] ?? []) {
      const previous = before.get(key);
      if (previous === undefined) continue;
      for (const { path, type, productIds } of history.webhooks) {
        const id = productId("catalog", key);
        if (productIds && !productIds.includes(id)) continue;
        const change = describeChange(type, previous, product);
        if (change !== undefined) expected.get(path)?.push(`${type} ${id} ${change}`);
      }
    }
  }
  return expected;
}

const reportedValues: Record<WebhookType, (product: ProductInput) => string | number> = {
  "price.alert": ({ priceMinor }) => priceMinor / 100,
  "stock.alert": ({ availability }) => availability,
};

function describeChange(
  type: WebhookType,
  previous: ProductInput,
  current: ProductInput,
): string | undefined {
  const [from, to] = [reportedValues[type](previous), reportedValues[type](current)];
  return from === to ? undefined : `${from} → ${to}`;
}
