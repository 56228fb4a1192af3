import type { InjectOptions } from "fastify";
import { expect } from "vitest";
import { ApiError } from "../src/errors.ts";
import type { WebhookStore } from "../src/ports/webhook-store.ts";
import { expectDocumented } from "./spec-check.ts";
import type { TestServiceOptions } from "./test-service.ts";
import { createWebhookService, type WebhookService } from "./webhook-service.ts";

export type RefusedStatus = 401 | 403 | 406 | 429 | 500 | 503;

const storeFailing = (error: Error): TestServiceOptions => {
  const fail = async () => {
    throw error;
  };
  return {
    ports: (ports) => ({
      ...ports,
      webhookStore: new Proxy<WebhookStore>(ports.webhookStore, { get: () => fail }),
    }),
    // Only a command creates tokens, and that still works.
    stores: ({ unitOfWork }) => ({
      unitOfWork: {
        transact: (actor, work) => (actor.kind === "command" ? unitOfWork.transact(actor, work) : fail()),
      },
    }),
  };
};

const services: Partial<Record<RefusedStatus, TestServiceOptions>> = {
  429: { environment: { TOKEN_RATE_LIMIT: "1/60" } },
  500: storeFailing(new Error("disk on fire")),
  503: storeFailing(new ApiError("unavailable", "Not ready yet.", { retryAfterSeconds: 2 })),
};

/** Provokes every error that a webhook operation documents, and checks it against the spec. */
export async function expectRefusal(
  operationId: string,
  status: RefusedStatus,
  request: InjectOptions,
): Promise<void> {
  const service = await createWebhookService(services[status]);
  try {
    if (status === 429) await service.call({ url: "/webhooks" });
    const response = await service.call({ ...request, headers: await headersFor(status, service) });
    expectDocumented(operationId, status, response);
    expect(response.json()).toMatchObject({ success: false });
    expect(response.body).not.toContain("fire");
    if (status === 503) expect(response.headers["retry-after"]).toBe("2");
  } finally {
    await service.close();
  }
}

async function headersFor(status: RefusedStatus, service: WebhookService): Promise<Record<string, string>> {
  if (status === 401) return { authorization: "" };
  if (status === 403) return { authorization: `Bearer ${await service.token({ scopes: ["search"] })}` };
  if (status === 406) return { accept: "text/html" };
  return {};
}
