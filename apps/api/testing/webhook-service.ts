import { setTimeout } from "node:timers/promises";
import { createUndiciOutboundHttp } from "@product-search/outbound-http/undici.ts";
import type { CreateWebhookRequest, WebhookWithKey } from "@product-search/types";
import type { InjectOptions, LightMyRequestResponse } from "fastify";
import { composeSqliteStores } from "../src/compose/stores/sqlite-stores.ts";
import { composeDelivery } from "../src/compose/webhooks.ts";
import { createTestService, type TestService, type TestServiceOptions } from "./test-service.ts";

export interface WebhookService extends TestService {
  /** A request of the partner, with a valid token unless its headers say otherwise. */
  call(request: InjectOptions): Promise<LightMyRequestResponse>;
  /** The same by another account. */
  callAsOther(request: InjectOptions): Promise<LightMyRequestResponse>;
  createWebhook(more?: Partial<CreateWebhookRequest>): Promise<WebhookWithKey>;
  /** The answers of the name server; other names do not resolve. */
  names: Map<string, string[]>;
  /** Attempts all deliveries that are due, and waits until this is done. */
  deliver(limits?: { attemptTimeoutMs: number }): Promise<void>;
}

const allowNetworks = ["127.0.0.0/8"];

/** The real service, allowed to deliver to this machine. */
export async function createWebhookService(options: TestServiceOptions = {}): Promise<WebhookService> {
  const names = new Map<string, string[]>();
  const resolveHost = async (host: string) => {
    const addresses = names.get(host);
    if (addresses === undefined) throw new Error(`"${host}" has no address`);
    return addresses;
  };
  const service = await createTestService({
    ...options,
    ports: (ports) => {
      const webhookHttp = createUndiciOutboundHttp({ allowNetworks, httpsOnly: true, resolveHost });
      const own = { ...ports, webhookHttp };
      return options.ports?.(own) ?? own;
    },
    environment: {
      WEBHOOK_ALLOW_NETWORKS: allowNetworks.join(","),
      TOKEN_RATE_LIMIT: "0",
      ...options.environment,
    },
  });
  const authorizations = {
    own: `Bearer ${await service.token({ scopes: ["webhooks"] })}`,
    other: `Bearer ${await service.token({ scopes: ["webhooks"], account: "other" })}`,
  };
  const callAs = (account: keyof typeof authorizations) => (request: InjectOptions) =>
    service.app.inject({
      ...request,
      url: `/api/v1${String(request.url)}`,
      headers: { authorization: authorizations[account], ...request.headers },
    });
  const call = callAs("own");

  return {
    ...service,
    names,
    call,
    callAsOther: callAs("other"),

    async createWebhook(more) {
      const payload = { webhookUrl: "https://partner.example/hook", webhookType: "price.alert", ...more };
      const respond = await call({ method: "POST", url: "/webhooks", payload });
      if (respond.statusCode !== 201) throw new Error(respond.body);
      return respond.json().data;
    },

    async deliver(limits) {
      const stores = await composeSqliteStores(service.config, service.clock);
      const faults: unknown[] = [];
      const delivering = composeDelivery(service.config, stores, {
        onError: (error) => faults.push(error),
        ...limits,
      });
      const isDue = () =>
        stores.database.connection
          .prepare(
            "select 1 from deliveries where status = 'pending' and (worker is not null or due_at <= ?)",
          )
          .get(service.clock.now()) !== undefined;
      while (isDue() && faults.length === 0) await setTimeout(5);
      await delivering.stop();
      await stores.close();
      if (faults.length > 0) throw faults[0];
    },
  };
}
