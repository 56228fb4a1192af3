import type { WebhookDelivery } from "@product-search/client";
import { CodeText } from "../code-text.tsx";
import { CopyButton } from "../copy-button.tsx";
import { SignatureCheck } from "./signature-check.tsx";

interface DeliveryRequestProps {
  webhookId: string;
  delivery: WebhookDelivery;
}

/** The request of the last attempt: its headers, its body, and a check of its signature. */
export function DeliveryRequest({ webhookId, delivery }: DeliveryRequestProps) {
  const { eventId, requestBody, attempts, createdAt } = delivery;
  const sentAt = attempts.at(-1)?.attemptedAt ?? createdAt;
  const timestamp = Math.floor(Date.parse(sentAt) / 1000);
  const headers = [
    "content-type: application/json",
    `webhook-id: ${eventId}`,
    `webhook-timestamp: ${attempts.length > 0 ? timestamp : "(when it is sent)"}`,
    "webhook-signature: v1,… (see below)",
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
        {attempts.length > 0 && (
          <SignatureCheck webhookId={webhookId} request={{ eventId, timestamp, body: requestBody }} />
        )}
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
