import type { CreateWebhookRequest, WebhookWithKey } from "@product-search/types";
import { asciiUrl } from "../../domain/ascii-url.ts";
import { ApiError } from "../../errors.ts";
import type { OutboundHttp } from "../../ports/outbound-http.ts";
import type { WebhookStore } from "../../ports/webhook-store.ts";
import { assertTarget } from "./assert-target.ts";
import { createSigningKey } from "./signing-key.ts";
import { toWebhookWithKey } from "./to-webhook.ts";

export const webhooksPerAccount = 100;

export interface WebhookDeps {
  webhookStore: WebhookStore;
  webhookHttp: Pick<OutboundHttp, "checkTarget">;
}

/** Registers a target. The signing key is in the answer and can never be read again. */
export async function createWebhook(
  { webhookStore, webhookHttp }: WebhookDeps,
  accountId: string,
  { webhookUrl, webhookType, productIds }: CreateWebhookRequest,
): Promise<WebhookWithKey> {
  const url = asciiUrl(webhookUrl);
  await assertTarget(webhookHttp, url);
  const key = createSigningKey();
  const webhook = await webhookStore.create(
    { accountId, url, type: webhookType, key, ...(productIds && { productIds }) },
    webhooksPerAccount,
  );
  if (webhook === undefined) {
    throw new ApiError(
      "webhook_limit_reached",
      `This account has ${webhooksPerAccount} webhooks, the most that are allowed. Delete one that is not needed any more.`,
    );
  }
  return toWebhookWithKey(webhook, key);
}
