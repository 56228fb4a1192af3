import type { WebhookWithKey } from "@product-search/client";
import { useState } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { WebhookCard } from "../parts/webhook-card.tsx";
import { WebhookForm } from "../parts/webhook-form.tsx";
import { useService } from "../service/service-context.tsx";
import { useRequest } from "../service/use-request.ts";

/** Everything about an account's webhooks. */
export function WebhooksScreen() {
  const { client, token } = useService();
  const list = useRequest(token, (signal) => client.listWebhooks({ signal }));
  const [fresh, setFresh] = useState<WebhookWithKey>();
  return (
    <>
      <h1>Webhooks</h1>
      <p className="muted">Be told when the price or the stock of a product changes.</p>
      {fresh && <FreshKey webhook={fresh} onDone={() => setFresh(undefined)} />}
      <WebhookForm
        onCreated={(webhook) => {
          setFresh(webhook);
          list.retry();
        }}
      />
      <section aria-label="Your webhooks" className="stack">
        {list.phase === "loading" && !list.answer && <p role="status">Loading…</p>}
        {list.phase === "failed" && <ErrorNotice error={list.error} onRetry={list.retry} />}
        {list.answer?.data.length === 0 && (
          <EmptyNotice title="No webhooks yet">
            <p>Create one above; a test delivery tells at once whether it arrives.</p>
          </EmptyNotice>
        )}
        {list.answer?.data.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} onChanged={list.retry} onNewKey={setFresh} />
        ))}
      </section>
      <DeveloperPanel
        request={{ method: "GET", path: "/webhooks", needsToken: true, call: "listWebhooks()" }}
      />
    </>
  );
}

function FreshKey({ webhook, onDone }: { webhook: WebhookWithKey; onDone: () => void }) {
  return (
    <section className="notice key-notice" role="alert" aria-labelledby="key-title">
      <h2 id="key-title">Keep this key now</h2>
      <p>It verifies what is delivered to {webhook.webhookUrl}. It is not shown again.</p>
      <p className="row">
        <code className="key">{webhook.apiKey}</code>
        <CopyButton text={webhook.apiKey} label="Copy the key" />
      </p>
      <button type="button" onClick={onDone}>
        I have kept it
      </button>
    </section>
  );
}
