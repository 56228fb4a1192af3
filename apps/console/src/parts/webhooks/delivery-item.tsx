import type { WebhookDelivery } from "@product-search/client";
import { DeliveryRequest } from "./delivery-request.tsx";

interface DeliveryItemProps {
  webhookId: string;
  delivery: WebhookDelivery;
  onReplay: () => void;
}

export function DeliveryItem({ webhookId, delivery, onReplay }: DeliveryItemProps) {
  const { status, test, webhookType, createdAt, replayOf } = delivery;
  return (
    <li>
      <div className="row spread">
        <span>
          <span className={`tag ${status}`}>{status}</span> {replayOf !== null && "replay of "}
          {test && "test of "}
          {webhookType} <span className="muted small-text">{new Date(createdAt).toLocaleString()}</span>
        </span>
        <button type="button" className="small" onClick={onReplay}>
          Replay
        </button>
      </div>
      <DeliveryRequest webhookId={webhookId} delivery={delivery} />
      <Attempts delivery={delivery} />
    </li>
  );
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
