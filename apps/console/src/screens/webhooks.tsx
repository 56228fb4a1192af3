import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { PanelSkeleton } from "../parts/panel-skeleton.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { ReceiverCode } from "../parts/webhooks/receiver-code.tsx";
import { WebhookCard } from "../parts/webhooks/webhook-card.tsx";
import { WebhookForm } from "../parts/webhooks/webhook-form.tsx";
import { useService } from "../service/service-context.tsx";
import type { RequestSnippet } from "../service/snippets.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useRequest } from "../service/use-request.ts";
import { useSigningKeys } from "../service/webhooks/signing-keys.tsx";

/** Everything about an account's webhooks. */
export function WebhooksScreen() {
  const { client, token } = useService();
  const list = useRequest(token || undefined, (signal) => client.listWebhooks({ signal }));
  const { showKey } = useSigningKeys();
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
      <WebhookForm
        onCreated={(webhook) => {
          showKey(webhook);
          list.retry();
        }}
      />
      <ReceiverCode />
      <section aria-labelledby="your-webhooks" className="stack">
        <h2 id="your-webhooks" className="section-title">
          Your webhooks
        </h2>
        <DeveloperPanel requests={requests} />
        {list.phase === "loading" && !list.response && <PanelSkeleton />}
        {list.phase === "failed" && <ErrorNotice error={list.error} onRetry={list.retry} />}
        {list.response?.data.length === 0 && (
          <EmptyNotice title="No webhooks yet">
            <p>Create a webhook above, then send a test delivery to check the target.</p>
          </EmptyNotice>
        )}
        {list.response?.data.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} onChanged={list.retry} onNewKey={showKey} />
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
