import type { OutboundHttp } from "@product-search/core/ports/outbound-http.ts";
import type { Ports } from "@product-search/features/handlers.ts";
import {
  type DeliveryWorker,
  type DeliveryWorkerDeps,
  startDeliveryWorker,
} from "@product-search/features/webhooks/delivery/delivery-worker.ts";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import type { Config } from "../config.ts";
import type { Stores } from "./stores/stores.ts";

/** The part that the command line needs. */
export function composePortsOfWebhooks(
  config: Config,
  { webhookStore }: Stores,
): Pick<Ports, "webhookStore" | "webhookHttp"> {
  return { webhookStore, webhookHttp: composeWebhookHttp(config) };
}

/** The HTTP client for webhooks: https, or plain http inside the networks that the operator allows. */
function composeWebhookHttp(config: Config): OutboundHttp {
  return createUndiciOutboundHttp({ allowNetworks: config.webhookAllowNetworks, httpsOnly: true });
}

/** Called with every attempt, and with errors of the database. */
export type DeliveryObserver = Pick<DeliveryWorkerDeps, "onError" | "onAttempt">;

/** Delivers webhooks until it is stopped. `stores` must not be shared. */
export function composeDelivery(
  config: Config,
  { clock, ...stores }: Stores,
  watch: DeliveryObserver & Pick<DeliveryWorkerDeps, "attemptTimeoutMs">,
): DeliveryWorker {
  const webhookHttp = composeWebhookHttp(config);
  const deliveryQueue = stores.deliveryQueue();
  const worker = startDeliveryWorker({
    deliveryQueue,
    untilChange: stores.untilChange(),
    webhookHttp,
    clock,
    random: Math.random,
    ...watch,
  });
  return {
    ...worker,
    async stop() {
      await worker.stop();
      await webhookHttp.close();
    },
  };
}
