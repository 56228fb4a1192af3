import type { WebhookDelivery } from "@product-search/client";
import { useEffect, useEffectEvent, useState } from "react";
import { formatCount } from "../../service/money.ts";
import { useService } from "../../service/service-context.tsx";
import type { RequestSnippet } from "../../service/snippets.ts";
import { useRequest } from "../../service/use-request.ts";
import { CodeText } from "../code-text.tsx";
import { CopyButton } from "../copy-button.tsx";
import { DeveloperPanel } from "../developer-panel.tsx";
import { ErrorNotice } from "../notice.tsx";
import { PanelSkeleton } from "../panel-skeleton.tsx";

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
          <DeliveryItem key={delivery.id} delivery={delivery} onReplay={() => replay(delivery)} />
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

interface DeliveryItemProps {
  delivery: WebhookDelivery;
  onReplay: () => void;
}

function DeliveryItem({ delivery, onReplay }: DeliveryItemProps) {
  const { status, test, webhookType, createdAt, replayOf } = delivery;
  return (
    <li>
      <div className="row spread">
        <span>
          <span className={`tag ${status}`}>{status}</span> {replayOf !== null && "replay of "}
          {test && "test of "}
          {webhookType} <span className="muted small-text">{new Date(createdAt).toLocaleString()}</span>{" "}
          <span className="small-text delivery-outcome">{outcomeText(delivery)}</span>
        </span>
        <button type="button" className="small" onClick={onReplay}>
          Replay
        </button>
      </div>
      <DeliveryRequest delivery={delivery} />
      <Attempts delivery={delivery} />
    </li>
  );
}

/** How the last attempt ended: what the receiver responded, and how long it took. */
function outcomeText({ attempts }: WebhookDelivery): string {
  const last = attempts.at(-1);
  if (!last) return "";
  const { responseStatus, durationMs } = last;
  return `${responseStatus == null ? "no response" : `status ${responseStatus}`} · ${formatCount(Math.round(durationMs))} ms`;
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

/** The request of the last attempt: its headers and its body. */
function DeliveryRequest({ delivery }: { delivery: WebhookDelivery }) {
  const { eventId, requestBody, attempts, createdAt } = delivery;
  const sentAt = attempts.at(-1)?.attemptedAt ?? createdAt;
  const timestamp = Math.floor(Date.parse(sentAt) / 1000);
  const headers = [
    "content-type: application/json",
    `webhook-id: ${eventId}`,
    `webhook-timestamp: ${attempts.length > 0 ? timestamp : "(when it is sent)"}`,
    "webhook-signature: v1,…",
  ].join("\n");
  return (
    <details>
      <summary>Request</summary>
      <div className="delivery-request">
        <h3>Headers</h3>
        <CodeText text={headers} />
        <div className="row spread">
          <h3>Body</h3>
          <CopyButton text={requestBody} label="Copy the body as sent" />
        </div>
        <CodeText text={formatted(requestBody)} />
      </div>
    </details>
  );
}

/** Easier to read than the one line that is sent. */
function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Calls again and again while the page is in sight. */
function useRefresh(refresh: () => void, intervalMs: number | undefined): void {
  useEffect(() => {
    if (intervalMs === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh();
    }, intervalMs);
    return () => clearInterval(timer);
  }, [refresh, intervalMs]);
}
