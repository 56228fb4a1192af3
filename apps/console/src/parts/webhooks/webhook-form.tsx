import type { WebhookWithKey } from "@product-search/client";
import { useId, useState } from "react";
import { useService } from "../../service/service-context.tsx";
import { ErrorNotice } from "../notice.tsx";
import { type WebhookType, WebhookTypeChoice } from "./webhook-type-choice.tsx";

export function WebhookForm({ onCreated }: { onCreated: (webhook: WebhookWithKey) => void }) {
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
      <h2>New webhook</h2>
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
        placeholder="_id values, separated by spaces; empty for all products"
        onChange={(event) => setProducts(event.target.value)}
      />
      <button type="submit" className="primary" disabled={busy}>
        {busy ? "Creating…" : "Create webhook"}
      </button>
      {error !== undefined && <ErrorNotice error={error} onRetry={create} />}
    </form>
  );
}
