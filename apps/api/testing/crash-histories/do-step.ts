import { productId } from "@product-search/core/domain/identity.ts";
import type { ProductInput } from "@product-search/core/domain/product.ts";
import type { Actor } from "@product-search/core/ports/accounts.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import { deleteProduct } from "@product-search/features/catalog-write/remove-products.ts";
import { upsertProducts } from "@product-search/features/catalog-write/write/upsert-products.ts";
import {
  createWebhook,
  deleteWebhook,
  rotateWebhookKey,
} from "@product-search/features/webhooks/manage-webhooks.ts";
import { testWebhook } from "@product-search/features/webhooks/test-webhook.ts";
import type { NativeRecord } from "@product-search/feeds/formats/feed-row.ts";
import { respondOnce } from "@product-search/http-rules/idempotency.ts";
import type { UpsertProductsResponse, WebhookDelivery, WebhookWithKey } from "@product-search/types";
import type { SqliteStores } from "../../src/compose/stores/sqlite-stores.ts";
import type { Told } from "./expected.ts";
import type { Step } from "./steps.ts";

export interface StepDeps {
  stores: SqliteStores;
  accountId: string;
  applyFeed(rows: readonly ProductInput[]): Promise<void>;
}

const webhookHttp = { checkTarget: async () => {} };
const presentation = { publicUrl: "http://service.test", currency: "USD" };

/**
 * Does the step like a request with an `Idempotency-Key`, or repeats it after a crash. `told` has the results of the
 * earlier steps.
 */
export async function doStep(
  deps: StepDeps,
  step: Step,
  number: number,
  told: readonly Told[],
): Promise<Told> {
  const { stores, accountId } = deps;
  const { webhookStore, clock } = stores;
  const reference = (webhook: number) => ({ accountId, webhookId: told[webhook]?.id ?? "" });
  switch (step.kind) {
    case "create": {
      const request = { webhookUrl: `https://partner.example/${number}`, webhookType: step.type };
      const body = { ...request, ...(step.productIds && { productIds: step.productIds }) };
      return once<WebhookWithKey>(deps, number, (transact) =>
        createWebhook({ webhookHttp, transact }, accountId, body),
      );
    }
    case "rotate":
      return once<WebhookWithKey>(deps, number, (transact) =>
        rotateWebhookKey({ clock, transact }, reference(step.webhook), { revokeFormer: step.revokeFormer }),
      );
    case "test":
      return once<WebhookDelivery>(deps, number, (transact) =>
        testWebhook({ webhookStore, webhookHttp, clock, transact, ...presentation }, reference(step.webhook)),
      );
    case "delete": {
      const transact: Transact<void> = (work) => stores.unitOfWork.transact(actorOf(deps), work);
      // It was done before the crash, so it does not exist any more.
      if (await webhookStore.find(reference(step.webhook)))
        await deleteWebhook({ transact }, reference(step.webhook));
      return {};
    }
    case "feed":
      await deps.applyFeed(step.rows);
      return {};
    case "write":
      await write(deps, number, [
        ...step.rows.map(toNativeRow),
        ...step.removed.map((_id) => ({ _id, deleted: true })),
      ]);
      return {};
    case "remove": {
      const id = productId("catalog", step.key);
      // Before, or because it was done before the crash, it does not exist.
      if (await stores.catalogStore.findById(id))
        await deleteProduct({ ...stores, catalogWrites: stores.catalogStore }, id);
      return {};
    }
  }
}

/** As the handler of the operation does it: the rows in transactions of their own, then the response. */
async function write(deps: StepDeps, number: number, products: NativeRecord[]): Promise<void> {
  const { stores } = deps;
  if (products.length === 0) return;
  await respondOnce<UpsertProductsResponse>(stores, callOf(deps, number), 200, async (transactAs) => {
    const writing = { ...stores, catalogWrites: stores.catalogStore, currency: presentation.currency };
    const response = await upsertProducts(writing, { products });
    if (response.rejectedCount > 0) throw new Error(`Refused: ${JSON.stringify(response.rejected)}`);
    return transactAs(
      actorOf(deps),
      async () => response,
      () => response,
    );
  });
}

/** A product as a row of a feed. */
export function toNativeRow({ key, name, priceMinor, url, storeName, availability }: ProductInput) {
  return { _id: key, name, price: priceMinor / 100, url, storeName, availability };
}

const callOf = ({ accountId }: StepDeps, number: number) => ({
  accountId,
  operation: "step",
  key: String(number),
  path: "/",
  body: null,
});

async function once<Data extends { id: string; apiKey?: string }>(
  deps: StepDeps,
  number: number,
  operation: (transact: Transact<Data>) => Promise<Data>,
): Promise<Told> {
  const response = await respondOnce(deps.stores, callOf(deps, number), 200, (transactAs) =>
    operation((work) => transactAs(actorOf(deps), work, ({ id, apiKey }) => ({ id, apiKey }))),
  );
  const { id, apiKey }: Told = typeof response === "string" ? JSON.parse(response) : response;
  return { ...(id !== undefined && { id }), ...(apiKey !== undefined && { apiKey }) };
}

function actorOf({ accountId }: StepDeps): Actor {
  return { kind: "token", tokenId: "token", accountId, address: "203.0.113.7" };
}
