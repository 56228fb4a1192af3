import type { WebhookWithKey } from "@product-search/client";
import { useId, useState } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { CodeText, PanelSkeleton } from "../parts/elements.tsx";
import { ErrorNotice } from "../parts/notice.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { WebhookCard } from "../parts/webhooks/webhook-card.tsx";
import { type WebhookType, WebhookTypeChoice } from "../parts/webhooks/webhook-type-choice.tsx";
import { useService } from "../service/service-context.tsx";
import type { RequestSnippet } from "../service/snippets.ts";
import { usePageTitle } from "../service/use-page-title.ts";
import { useRequest } from "../service/use-request.ts";
import { useSigningKeys } from "../service/webhooks/signing-keys.tsx";

const code = `// receiver.mts: run it with \`WEBHOOK_KEY=whsec_… node receiver.mts\` (Node 24 or later)
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { verifyWebhook } from "@product-search/client";

const apiKey = process.env.WEBHOOK_KEY ?? "";
const port = Number(process.env.PORT ?? 4500);

createServer(async (request, response) => {
  // The bytes as they came: a body that was parsed and written again has another signature.
  const body = await buffer(request);
  try {
    const event = await verifyWebhook(body, request.headers, apiKey);
    console.log(event.type, event.data.productId, event.data.previous, "->", event.data.current);
    response.writeHead(204).end();
  } catch (error) {
    console.error(String(error));
    response.writeHead(400).end("not verified");
  }
}).listen(port, () => console.log(\`Receiving on http://127.0.0.1:\${port}/\`));
`;

/** Everything about an account's webhooks. */
export function WebhooksScreen() {
  const { client, token } = useService();
  const list = useRequest(token || undefined, (signal) => client.listWebhooks({ signal }));
  const { showKey } = useSigningKeys();
  /** Until somebody says otherwise, the form is open where it is all that there is to do. */
  const [formChoice, setFormChoice] = useState<boolean>();
  usePageTitle("Webhooks");
  const title = (
    <section className="hero small-hero">
      <h1>Webhooks</h1>
      <p className="muted">Get an HTTP request when the price or stock of a product changes.</p>
    </section>
  );
  if (!token) {
    return (
      <>
        {title}
        <TokenNotice what="webhooks" />
      </>
    );
  }
  const webhooks = list.response?.data;
  const isFormOpen = webhooks !== undefined && (formChoice ?? webhooks.length === 0);
  return (
    <>
      {title}
      <section aria-labelledby="your-webhooks" className="stack">
        <div className="row spread">
          <h2 id="your-webhooks">Your webhooks</h2>
          <button
            type="button"
            className={isFormOpen ? "" : "primary"}
            aria-expanded={isFormOpen}
            disabled={webhooks === undefined}
            onClick={() => setFormChoice(!isFormOpen)}
          >
            New webhook
          </button>
        </div>
        <DeveloperPanel requests={requests} />
        {webhooks?.length === 0 && (
          <p className="muted">
            You have none yet. Create one, then send a test delivery to check the target.
          </p>
        )}
        {isFormOpen && (
          <WebhookForm
            onCreated={(webhook) => {
              showKey(webhook);
              setFormChoice(false);
              list.retry();
            }}
          />
        )}
        {list.phase === "loading" && !webhooks && <PanelSkeleton />}
        {list.phase === "failed" && <ErrorNotice error={list.error} onRetry={list.retry} />}
        {webhooks?.map((webhook) => (
          <WebhookCard key={webhook.id} webhook={webhook} onChanged={list.retry} onNewKey={showKey} />
        ))}
        {webhooks && <ReceiverCode />}
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

/** A program that receives and verifies deliveries, ready to run. */
function ReceiverCode() {
  return (
    <details className="panel receiver">
      <summary>A receiver to copy</summary>
      <div className="row spread">
        <p>
          It needs <code>npm install @product-search/client</code>. Set <code>WEBHOOK_KEY</code> to the key of
          the webhook.
        </p>
        <CopyButton text={code} label="Copy the receiver" />
      </div>
      <CodeText text={code} />
    </details>
  );
}

function WebhookForm({ onCreated }: { onCreated: (webhook: WebhookWithKey) => void }) {
  const { client } = useService();
  const id = useId();
  const [address, setAddress] = useState("");
  const [type, setType] = useState<WebhookType>("price.alert");
  const [products, setProducts] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();

  async function create() {
    setBusy(true);
    setError(undefined);
    const productIds = products.split(/[\s,]+/).filter((one) => one !== "");
    try {
      const { data } = await client.createWebhook(
        { webhookUrl: address.trim(), webhookType: type, ...(productIds.length > 0 && { productIds }) },
        { idempotencyKey: crypto.randomUUID() },
      );
      setAddress("");
      setProducts("");
      onCreated(data);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      className="panel webhook-form"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <h3>New webhook</h3>
      <label htmlFor={`${id}-url`}>Target URL</label>
      <input
        id={`${id}-url`}
        type="url"
        required
        placeholder="https://example.com/hooks"
        value={address}
        onChange={(event) => setAddress(event.target.value)}
      />
      <WebhookTypeChoice type={type} onChange={setType} />
      <label htmlFor={`${id}-products`}>Product identifiers (optional)</label>
      <input
        id={`${id}-products`}
        value={products}
        placeholder="Separated by spaces; empty for all products"
        onChange={(event) => setProducts(event.target.value)}
      />
      <button type="submit" className="primary" disabled={busy}>
        {busy ? "Creating…" : "Create webhook"}
      </button>
      {error !== undefined && <ErrorNotice error={error} onRetry={create} />}
    </form>
  );
}
