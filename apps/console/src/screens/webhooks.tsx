import type { WebhookWithKey } from "@product-search/client";
import { useState } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { PanelSkeleton } from "../parts/panel-skeleton.tsx";
import { TokenNotice } from "../parts/token-notice.tsx";
import { WebhookCard } from "../parts/webhook-card.tsx";
import { WebhookForm } from "../parts/webhook-form.tsx";
import { useService } from "../service/service-context.tsx";
import type { RequestSnippet } from "../service/snippets.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useRequest } from "../service/use-request.ts";

/** Everything about an account's webhooks. */
export function WebhooksScreen() {
  const { client, token } = useService();
  const list = useRequest(token || undefined, (signal) => client.listWebhooks({ signal }));
  const [fresh, setFresh] = useState<WebhookWithKey>();
  usePageTitle("Webhooks");
  const title = (
    <section className="hero">
      <h1>Webhooks</h1>
      <p className="muted">Get an HTTP request when the price or stock of a product changes.</p>
    </section>
  );
  if (!token) {
    return (
      <>
        {title}
        <TokenNotice what="Managing webhooks" />
      </>
    );
  }
  return (
    <>
      {title}
      {fresh && <FreshKey webhook={fresh} onDone={() => setFresh(undefined)} />}
      <WebhookForm
        onCreated={(webhook) => {
          setFresh(webhook);
          list.retry();
        }}
      />
      <DeveloperPanel requests={requests} />
      <section aria-label="Your webhooks" className="stack">
        {list.phase === "loading" && !list.response && <PanelSkeleton />}
        {list.phase === "failed" && <ErrorNotice error={list.error} onRetry={list.retry} />}
        {list.response?.data.length === 0 && (
          <EmptyNotice title="No webhooks yet">
            <p>Create a webhook above, then send a test delivery to check the target.</p>
          </EmptyNotice>
        )}
        {list.response?.data.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} onChanged={list.retry} onNewKey={setFresh} />
        ))}
      </section>
    </>
  );
}

const example = { webhookUrl: "https://example.com/hooks", webhookType: "price.alert" };
const requests: [RequestSnippet, ...RequestSnippet[]] = [
  { title: "List", method: "GET", path: "/webhooks", needsToken: true, call: "listWebhooks()" },
  {
    title: "Create",
    method: "POST",
    path: "/webhooks",
    body: example,
    needsToken: true,
    call: `createWebhook(${JSON.stringify(example)})`,
  },
];

function FreshKey({ webhook, onDone }: { webhook: WebhookWithKey; onDone: () => void }) {
  return (
    <section className="notice key-notice" role="alert" aria-labelledby="key-title">
      <h2 id="key-title">Save this key</h2>
      <p>Use it to verify deliveries to {webhook.webhookUrl}. It will not be shown again.</p>
      <p className="row">
        <code className="key">{webhook.apiKey}</code>
        <CopyButton text={webhook.apiKey} label="Copy the key" />
      </p>
      <button type="button" onClick={onDone}>
        I have saved it
      </button>
    </section>
  );
}
