import { asciiUrl } from "@product-search/core/domain/ascii-url.ts";
import { ApiError } from "@product-search/core/errors.ts";
import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { CreateWebhookRequest, WebhookWithKey } from "@product-search/types";
import { assertTarget } from "./assert-target.ts";
import { createSigningKey, type NewSigningKey } from "./signing-key.ts";
import { toWebhookWithKey } from "./to-webhook.ts";

export const webhooksPerAccount = 100;

export interface CreateWebhookDeps {
  webhookHttp: Pick<OutboundHttp, "checkTarget">;
  transact: Transact<WebhookWithKey>;
  /** Default: a random one. */
  newSigningKey?: NewSigningKey | undefined;
}

/** Registers a target. The signing key is returned only in this response. */
export async function createWebhook(
  { webhookHttp, transact, newSigningKey = createSigningKey }: CreateWebhookDeps,
  accountId: string,
  { webhookUrl, webhookType, productIds }: CreateWebhookRequest,
): Promise<WebhookWithKey> {
  assertIdentifiers(productIds ?? []);
  const url = asciiUrl(webhookUrl);
  await assertTarget(webhookHttp, url);
  const key = newSigningKey();
  const wanted = { accountId, url, type: webhookType, key, ...(productIds && { productIds }) };
  return transact(async ({ webhookStore, audit }) => {
    const webhook = await webhookStore.create(wanted, webhooksPerAccount);
    if (webhook === undefined) {
      throw new ApiError(
        "webhook_limit_reached",
        `This account has ${webhooksPerAccount} webhooks, which is the maximum. Delete one that you no longer need.`,
      );
    }
    await audit.record("webhook.created", webhook.id, { webhookType });
    return toWebhookWithKey(webhook, key);
  });
}

/** No product has such an identifier, and not every database can store it. */
function assertIdentifiers(productIds: readonly string[]): void {
  const index = productIds.findIndex((id) => id.includes("\u0000") || !id.isWellFormed());
  if (index === -1) return;
  const fault = productIds[index]?.includes("\u0000") ? "the character U+0000" : "half of a surrogate pair";
  throw new ApiError(
    "invalid_request",
    `productIds[${index}]: contains ${fault}, which no identifier has. Send the _id of a product from a response.`,
  );
}
