import { createUndiciOutboundHttp } from "../adapters/outbound-http/undici.ts";
import type { Config } from "../config.ts";
import {
  type DeliveryWorker,
  type DeliveryWorkerDeps,
  startDeliveryWorker,
} from "../features/webhooks/delivery/delivery-worker.ts";
import type { Ports } from "../handlers.ts";
import type { OutboundHttp } from "../ports/outbound-http.ts";
import type { Stores } from "./stores.ts";

/** What the command line needs of them. */
export function composePortsOfWebhooks(
  config: Config,
  { webhookStore }: Stores,
): Pick<Ports, "webhookStore" | "webhookHttp"> {
  return { webhookStore, webhookHttp: composeWebhookHttp(config) };
}

/** The way out to webhooks: https, or plain http inside the networks that the operator allows. */
function composeWebhookHttp(config: Config): OutboundHttp {
  return createUndiciOutboundHttp({ allowNetworks: config.webhookAllowNetworks, httpsOnly: true });
}

/** Told of every attempt, and of errors of the database. */
export type DeliveryObserver = Pick<DeliveryWorkerDeps, "onError" | "onAttempt">;

/** Delivers webhooks until it is stopped; `stores` must be its own. */
export function composeDelivery(
  config: Config,
  { clock, ...stores }: Stores,
  watch: DeliveryObserver & Pick<DeliveryWorkerDeps, "attemptTimeoutMs">,
): DeliveryWorker {
  const webhookHttp = composeWebhookHttp(config);
  const deliveryQueue = stores.deliveryQueue();
  const worker = startDeliveryWorker({ deliveryQueue, webhookHttp, clock, random: Math.random, ...watch });
  return {
    ...worker,
    async stop() {
      await worker.stop();
      await webhookHttp.close();
    },
  };
}
