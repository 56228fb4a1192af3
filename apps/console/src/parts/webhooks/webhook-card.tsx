import type { Webhook, WebhookWithKey } from "@product-search/client";
import { useState } from "react";
import { useService } from "../../service/service-context.tsx";
import type { RequestSnippet } from "../../service/snippets.ts";
import { DeleteButton } from "../copy-button.tsx";
import { DeveloperPanel } from "../developer-panel.tsx";
import { ErrorNotice } from "../notice.tsx";
import { DeliveryList } from "./delivery-list.tsx";

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
