import type { Webhook, WebhookDelivery, WebhookWithKey } from "@product-search/client";
import { useEffect, useEffectEvent, useState } from "react";
import { formatCount } from "../../service/format.ts";
import { useService } from "../../service/service-context.tsx";
import type { RequestSnippet } from "../../service/snippets.ts";
import { useRequest } from "../../service/use-request.ts";
import { CopyButton, DeleteButton } from "../copy-button.tsx";
import { DeveloperPanel } from "../developer-panel.tsx";
import { CodeText, PanelSkeleton } from "../elements.tsx";
import { ErrorNotice } from "../notice.tsx";

interface WebhookCardProps {
  webhook: Webhook;
  onChanged: () => void;
  onNewKey: (webhook: WebhookWithKey) => void;
}

export function WebhookCard({ webhook, onChanged, onNewKey }: WebhookCardProps) {
  const { client } = useService();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [said, setSaid] = useState("");
  const [shown, setShown] = useState(false);
  const [version, setVersion] = useState(0);
  const { id, webhookUrl, webhookType, createdAt, disabledAt, disabledReason, productIds } = webhook;

  async function act(work: () => Promise<string>) {
    setBusy(true);
    setError(undefined);
    try {
      setSaid(await work());
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }
  const test = () =>
    act(async () => {
      await client.testWebhook(id, { idempotencyKey: crypto.randomUUID() });
      setShown(true);
      setVersion((count) => count + 1);
      return "A test delivery was queued.";
    });
  const rotate = () =>
    act(async () => {
      const { data } = await client.rotateWebhookKey(id, { idempotencyKey: crypto.randomUUID() });
      onNewKey(data);
      return "The key was rotated. Deliveries are also signed with the old key for 24 hours.";
    });
  const enable = () =>
    act(async () => {
      await client.enableWebhook(id);
      onChanged();
      return "Enabled.";
    });
  const remove = () =>
    act(async () => {
      await client.deleteWebhook(id);
      onChanged();
      return "Deleted.";
    });

  return (
    <article className="panel webhook-card">
      <h3 className="webhook-title">
        <span className={disabledAt ? "status-dot off" : "status-dot on"} aria-hidden="true" />
        {webhookUrl}
      </h3>
      <p className="muted small-text">
        {webhookType} · <code>{id}</code> · since {new Date(createdAt).toLocaleString()}
        {productIds && ` · ${productIds.length} ${productIds.length === 1 ? "product" : "products"}`}
        {disabledAt && ` · disabled ${new Date(disabledAt).toLocaleString()} (${disabledReason})`}
      </p>
      <div className="row">
        <button type="button" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? "Hide deliveries" : "Deliveries"}
        </button>
        <button type="button" disabled={busy} onClick={test}>
          Send a test delivery
        </button>
        <button type="button" disabled={busy} onClick={rotate}>
          Rotate the key
        </button>
        {disabledAt && (
          <button type="button" disabled={busy} onClick={enable}>
            Enable
          </button>
        )}
        <span className="row push">
          <DeleteButton disabled={busy} onConfirm={remove} />
        </span>
      </div>
      <p role="status" className="small-text">
        {said}
      </p>
      {error !== undefined && <ErrorNotice error={error} onRetry={() => setError(undefined)} />}
      {shown && <DeliveryList key={version} webhookId={id} onAttempted={onChanged} />}
      <DeveloperPanel requests={requestsFor(id)} />
    </article>
  );
}

function requestsFor(id: string): [RequestSnippet, ...RequestSnippet[]] {
  const path = `/webhooks/${encodeURIComponent(id)}`;
  const name = JSON.stringify(id);
  const post = (title: string, action: string, call: string): RequestSnippet => ({
    title,
    method: "POST",
    path: `${path}/${action}`,
    needsToken: true,
    call: `${call}(${name})`,
  });
  return [
    post("Send a test delivery", "test", "testWebhook"),
    post("Rotate the key", "rotate-key", "rotateWebhookKey"),
    post("Enable", "enable", "enableWebhook"),
    { title: "Delete", method: "DELETE", path, needsToken: true, call: `deleteWebhook(${name})` },
  ];
}

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
function DeliveryList({ webhookId, onAttempted }: DeliveryListProps) {
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
      <DeveloperPanel requests={deliveryRequestsFor(webhookId, newest?.id)} />
    </>
  );
}

function deliveryRequestsFor(webhookId: string, deliveryId = "dl_…"): [RequestSnippet, ...RequestSnippet[]] {
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
