import { useEffect, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { useSigningKeys } from "../../service/webhooks/signing-keys.tsx";
import { ErrorNotice } from "../notice.tsx";
import { tokenBoxId } from "../shell/token-box-id.ts";
import type { WebhookType } from "../webhooks/webhook-type-choice.tsx";
import { WebhookTypeChoice } from "../webhooks/webhook-type-choice.tsx";

/** A webhook for one product: all that is left to say is where to send it. */
export function AlertForm({ productId }: { productId: string }) {
  const { client, token } = useService();
  const { showKey } = useSigningKeys();
  const id = useId();
  const webhooks = useRequest(token || undefined, (signal) => client.listWebhooks({ signal }));
  const latest = webhooks.response?.data[0]?.webhookUrl ?? "";
  const [target, setTarget] = useState("");
  const [type, setType] = useState<WebhookType>("price.alert");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isDone, setDone] = useState(false);
  // The target of the newest webhook is the likeliest one. It may arrive while somebody is already in the field: what
  // they type must not be appended to it.
  const wasEntered = useRef(false);
  useEffect(() => {
    if (!wasEntered.current) setTarget(latest);
  }, [latest]);

  async function create() {
    setBusy(true);
    setError(undefined);
    setDone(false);
    try {
      const { data } = await client.createWebhook(
        { webhookUrl: target.trim(), webhookType: type, productIds: [productId] },
        { idempotencyKey: crypto.randomUUID() },
      );
      setDone(true);
      showKey(data);
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <section className="panel alert-form" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Get alerts for this product</h2>
      {token === "" ? (
        <p>
          Alerts need a token.{" "}
          <button type="button" className="small" popoverTarget={tokenBoxId}>
            Set a token
          </button>
        </p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void create();
          }}
        >
          <WebhookTypeChoice type={type} onChange={setType} />
          <label htmlFor={`${id}-target`}>Send a webhook to</label>
          <div className="row">
            <input
              id={`${id}-target`}
              type="url"
              required
              placeholder="https://example.com/hooks"
              value={target}
              onFocus={() => {
                wasEntered.current = true;
              }}
              onChange={(event) => setTarget(event.target.value)}
            />
            <button type="submit" className="primary" disabled={busy}>
              {busy ? "Creating…" : "Alert me"}
            </button>
          </div>
        </form>
      )}
      <p role="status" className="small-text">
        {isDone && (
          <>
            The webhook was created. <Link href="/webhooks">See its deliveries</Link>
          </>
        )}
      </p>
      {error !== undefined && <ErrorNotice error={error} onRetry={create} />}
    </section>
  );
}
