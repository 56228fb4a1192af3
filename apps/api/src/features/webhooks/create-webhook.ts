import type { CreateWebhookRequest, WebhookWithKey } from "@product-search/types";
import { asciiUrl } from "../../domain/ascii-url.ts";
import { ApiError } from "../../errors.ts";
import type { OutboundHttp } from "../../ports/outbound-http.ts";
import type { Transact } from "../../ports/unit-of-work.ts";
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
