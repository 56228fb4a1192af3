import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import { type WebhookType, webhookTypes } from "@product-search/core/domain/webhook-event.ts";
import { createRandom, type Random } from "@product-search/sample-catalog";

/** An action of a client or an operator. `webhook` is the index of the step that created it. */
export type Step =
  | { kind: "create"; type: WebhookType; productIds?: string[] }
  | { kind: "rotate"; webhook: number; revokeFormer: boolean }
  | { kind: "test"; webhook: number }
  | { kind: "delete"; webhook: number }
  | { kind: "feed"; rows: ProductInput[] }
  /** Rows over HTTP; those with the keys in `removed` delete their products. */
  | { kind: "write"; rows: ProductInput[]; removed: string[] }
  | { kind: "remove"; key: string };

const keys = ["a", "b", "c", "d"] as const;
const availabilities = ["in_stock", "out_of_stock", "preorder"] as const;
const maxKeys = 3;

/** The seed determines everything. The service would refuse none of the steps. */
export function createSteps(seed: number): Step[] {
  const random = createRandom(seed);
  const catalog = new Map<string, ProductInput>();
  const alive = new Map<number, number>();
  const steps: Step[] = [{ kind: "feed", rows: nextRows(random, catalog, 1) }];
  const length = random.integer(8, 16);
  while (steps.length < length) {
    const step = nextStep(random, alive, catalog);
    note(step, steps.length, alive);
    steps.push(step);
  }
  return steps;
}

function nextStep(
  random: Random,
  alive: ReadonlyMap<number, number>,
  catalog: Map<string, ProductInput>,
): Step {
  const [webhook] = random.several([...alive.keys()], 1);
  if (webhook === undefined || random.chance(0.2)) return createStep(random);
  if (random.chance(0.3)) return { kind: "feed", rows: nextRows(random, catalog, 0.6) };
  if (random.chance(0.4)) return writeStep(random, catalog);
  if (random.chance(0.15)) return { kind: "remove", key: random.pick(keys) };
  if (random.chance(0.15)) return { kind: "delete", webhook };
  if (random.chance(0.4)) return { kind: "test", webhook };
  const isFull = (alive.get(webhook) ?? 1) >= maxKeys;
  return { kind: "rotate", webhook, revokeFormer: isFull || random.chance(0.3) };
}

function createStep(random: Random): Step {
  const type = random.pick(webhookTypes);
  if (random.chance(0.7)) return { kind: "create", type };
  return { kind: "create", type, productIds: [productId("catalog", random.pick(keys))] };
}

function writeStep(random: Random, catalog: Map<string, ProductInput>): Step {
  const removed = keys.filter(() => random.chance(0.2));
  const rows = nextRows(random, catalog, 0.6).filter(({ key }) => !removed.some((other) => other === key));
  return { kind: "write", rows, removed };
}

/** The number of valid keys of each webhook. The clock stands still, so former keys only end when they are revoked. */
function note(step: Step, number: number, alive: Map<number, number>): void {
  if (step.kind === "create") alive.set(number, 1);
  if (step.kind === "delete") alive.delete(step.webhook);
  if (step.kind === "rotate")
    alive.set(step.webhook, step.revokeFormer ? 1 : (alive.get(step.webhook) ?? 1) + 1);
}

/** Often repeats values or returns to earlier ones: neither may be reported as a change that did not happen. */
function nextRows(random: Random, catalog: Map<string, ProductInput>, share: number): ProductInput[] {
  return keys.flatMap((key) => {
    if (!random.chance(share)) return [];
    const row: ProductInput = {
      source: "catalog",
      key,
      name: `Product ${key}`,
      storeName: "Store",
      description: "",
      url: `https://shop.example/${key}`,
      images: [],
      priceMinor: random.integer(1, 4) * 100,
      availability: random.pick(availabilities),
    };
    catalog.set(key, row);
    return [row];
  });
}
