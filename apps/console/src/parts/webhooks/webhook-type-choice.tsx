import type { Webhook } from "@product-search/client";

export type WebhookType = Webhook["webhookType"];

const texts: Record<WebhookType, string> = {
  "price.alert": "Price changes",
  "stock.alert": "Stock changes",
};

interface WebhookTypeChoiceProps {
  type: WebhookType;
  onChange: (type: WebhookType) => void;
}

export function WebhookTypeChoice({ type, onChange }: WebhookTypeChoiceProps) {
  return (
    <fieldset className="segmented">
      <legend>Event</legend>
      {(Object.keys(texts) as WebhookType[]).map((one) => (
        <label key={one}>
          <input type="radio" name="type" checked={type === one} onChange={() => onChange(one)} />
          <span>{texts[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}
