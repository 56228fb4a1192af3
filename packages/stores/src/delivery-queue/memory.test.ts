import { describeDeliveryQueue } from "@product-search/testing/contracts/delivery-queue/contract.ts";
import { describe } from "vitest";
import { createMemoryDatabase } from "../database/memory/memory.ts";
import { addDelivery, addEvent } from "../database/memory/memory-outbox.ts";
import { randomId } from "../database/random-id.ts";
import { createMemoryWebhookStore } from "../webhook-store/memory.ts";
import { createMemoryDeliveryQueue } from "./memory.ts";

const maxMissedHeartbeats = 3;

describe("the delivery queue in memory", () => {
  describeDeliveryQueue(async (clock) => {
    const database = createMemoryDatabase();
    const { webhooks, events, deliveries } = database.tables;
    const addEvents = (bodies: readonly string[]) => {
      const nowMs = clock.now();
      for (const body of bodies) {
        const event = addEvent(database, {
          id: randomId("ev_"),
          type: "price.alert",
          body,
          createdAtMs: nowMs,
        });
        for (const [webhook, { record, isDeleted }] of webhooks.entries())
          if (!isDeleted && !record.disabled)
            addDelivery(database, { id: randomId("dl_"), webhook, event, kind: "event", nowMs });
      }
    };
    return {
      join: async () => createMemoryDeliveryQueue({ database, clock, maxMissedHeartbeats }),
      maxMissedHeartbeats,
      store: createMemoryWebhookStore({ database, clock, newId: randomId }),
      accountId: "ac_own",
      async damageKey(webhookId) {
        const [row, { key: _, ...webhook }] = webhooks.find(({ record }) => record.id === webhookId) ?? [
          0,
          { key: "" },
        ];
        if ("record" in webhook) webhooks.set(row, webhook);
      },
      async refuseOutcome(error) {
        const set = deliveries.set.bind(deliveries);
        deliveries.set = (row, delivery) => {
          if (delivery.attempts.at(-1)?.error === error) throw new Error("refused");
          set(row, delivery);
        };
      },
      addEvents: async (...bodies) => database.transact(() => addEvents(bodies)),
      countRows: async () =>
        deliveries.values().reduce((sum, { attempts }) => sum + 1 + attempts.length, events.size),
      close: async () => {},
    };
  });
});
