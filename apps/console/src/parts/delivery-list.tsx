import type { WebhookDelivery } from "@product-search/client";
import { useEffect, useEffectEvent, useState } from "react";
import { useService } from "../service/service-context.tsx";
import type { RequestSnippet } from "../service/snippets.ts";
import { useRequest } from "../service/use-request.ts";
import { DeveloperPanel } from "./developer-panel.tsx";
import { ErrorNotice } from "./notice.tsx";
import { PanelSkeleton } from "./panel-skeleton.tsx";

const refreshMs = 2000;
const pageSize = 20;

interface DeliveryListProps {
  webhookId: string;
  /** An attempt has ended: how it ended may have changed the webhook itself. */
  onAttempted: () => void;
}

/** What was sent to a webhook and how it was received; fresh while something is on its way. */
export function DeliveryList({ webhookId, onAttempted }: DeliveryListProps) {
  const { client } = useService();
  const list = useRequest(webhookId, (signal) =>
    client.listDeliveries(webhookId, { limit: pageSize }, { signal }),
  );
  const [error, setError] = useState<unknown>();
  const isMoving = list.response?.data.some(({ status }) => status === "pending") ?? false;
  const attempts = list.response?.data.reduce((total, delivery) => total + delivery.attempts.length, 0) ?? 0;
  const { retry } = list;
  const tellAttempted = useEffectEvent(onAttempted);
  useEffect(() => {
    if (attempts > 0) tellAttempted();
  }, [attempts]);
  useEffect(() => {
    if (!isMoving) return;
    const timer = setInterval(retry, refreshMs);
    return () => clearInterval(timer);
  }, [isMoving, retry]);

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
  const [newest] = list.response.data;
  return (
    <>
      {!newest && <p className="muted">No deliveries yet. Send a test delivery to see one.</p>}
      {error !== undefined && <ErrorNotice error={error} onRetry={() => setError(undefined)} />}
      <ul className="deliveries">
        {list.response.data.map((delivery) => (
          <li key={delivery.id}>
            <div className="row spread">
              <span>
                <span className={`tag ${delivery.status}`}>{delivery.status}</span>{" "}
                {delivery.test ? "test of " : ""}
                {delivery.webhookType}{" "}
                <span className="muted small-text">{new Date(delivery.createdAt).toLocaleString()}</span>
              </span>
              <button type="button" className="small" onClick={() => replay(delivery)}>
                Replay
              </button>
            </div>
            <Attempts delivery={delivery} />
          </li>
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

function Attempts({ delivery }: { delivery: WebhookDelivery }) {
  const { attempts, nextAttemptAt } = delivery;
  return (
    <details>
      <summary>
        {attempts.length} {attempts.length === 1 ? "attempt" : "attempts"}
        {nextAttemptAt && `, next ${new Date(nextAttemptAt).toLocaleString()}`}
      </summary>
      <ol className="attempts">
        {attempts.map((attempt) => (
          <li key={attempt.attemptedAt}>
            <span>
              {new Date(attempt.attemptedAt).toLocaleString()} · {attempt.responseStatus ?? "no response"} ·{" "}
              {attempt.durationMs} ms
            </span>
            {attempt.error && <span className="muted small-text">{attempt.error}</span>}
            {attempt.responseBody && <pre>{attempt.responseBody}</pre>}
          </li>
        ))}
      </ol>
    </details>
  );
}
