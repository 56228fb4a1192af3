import type { WebhookDelivery } from "@product-search/client";
import { useEffect, useEffectEvent, useState } from "react";
import { useService } from "../../service/service-context.tsx";
import type { RequestSnippet } from "../../service/snippets.ts";
import { useRequest } from "../../service/use-request.ts";
import { useRefresh } from "../../service/webhooks/use-refresh.ts";
import { DeveloperPanel } from "../developer-panel.tsx";
import { ErrorNotice } from "../notice.tsx";
import { PanelSkeleton } from "../panel-skeleton.tsx";
import { DeliveryItem } from "./delivery-item.tsx";

/** While a delivery waits for its response, and while nothing is on its way. */
const busyRefreshMs = 1000;
const idleRefreshMs = 3000;
const pageSize = 20;

interface DeliveryListProps {
  webhookId: string;
  /** An attempt has ended: how it ended may have changed the webhook itself. */
  onAttempted: () => void;
}

/** What is sent to a webhook and how it is received, as it happens. */
export function DeliveryList({ webhookId, onAttempted }: DeliveryListProps) {
  const { client } = useService();
  const list = useRequest(webhookId, (signal) =>
    client.listDeliveries(webhookId, { limit: pageSize }, { signal }),
  );
  const [error, setError] = useState<unknown>();
  const deliveries = list.response?.data ?? [];
  const isMoving = deliveries.some(({ status }) => status === "pending");
  const attempts = deliveries.reduce((total, delivery) => total + delivery.attempts.length, 0);
  const { retry } = list;
  const tellAttempted = useEffectEvent(onAttempted);
  useEffect(() => {
    if (attempts > 0) tellAttempted();
  }, [attempts]);
  useRefresh(retry, list.phase === "failed" ? undefined : isMoving ? busyRefreshMs : idleRefreshMs);

  async function replay(delivery: WebhookDelivery) {
    setError(undefined);
    try {
      await client.replayDelivery(webhookId, delivery.id, { idempotencyKey: crypto.randomUUID() });
      retry();
    } catch (failure) {
      setError(failure);
    }
  }

  if (list.phase === "failed") return <ErrorNotice error={list.error} onRetry={retry} />;
  if (!list.response) return <PanelSkeleton />;
  const [newest] = deliveries;
  return (
    <>
      {!newest && (
        <p className="muted">
          No deliveries yet. They appear here as they are sent. Send a test delivery to see one.
        </p>
      )}
      {error !== undefined && <ErrorNotice error={error} onRetry={() => setError(undefined)} />}
      <p className="visually-hidden" role="status">
        {newest && `Newest delivery: ${newest.webhookType}, ${newest.status}`}
      </p>
      <ul className="deliveries" aria-label="Deliveries">
        {deliveries.map((delivery) => (
          <DeliveryItem
            key={delivery.id}
            webhookId={webhookId}
            delivery={delivery}
            onReplay={() => replay(delivery)}
          />
        ))}
      </ul>
      <DeveloperPanel requests={requestsFor(webhookId, newest?.id)} />
    </>
  );
}

function requestsFor(webhookId: string, deliveryId = "dl_…"): [RequestSnippet, ...RequestSnippet[]] {
  const path = `/webhooks/${encodeURIComponent(webhookId)}/deliveries`;
  const [webhook, delivery] = [JSON.stringify(webhookId), JSON.stringify(deliveryId)];
  return [
    {
      title: "Deliveries",
      method: "GET",
      path,
      query: { limit: pageSize },
      needsToken: true,
      call: `listDeliveries(${webhook}, { limit: ${pageSize} })`,
    },
    {
      title: "Replay the latest delivery",
      method: "POST",
      path: `${path}/${encodeURIComponent(deliveryId)}/replay`,
      needsToken: true,
      call: `replayDelivery(${webhook}, ${delivery})`,
    },
  ];
}
