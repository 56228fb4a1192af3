import type { Webhook } from "@product-search/client";

export type WebhookType = Webhook["webhookType"];

const texts = { "price.alert": "Price changes", "stock.alert": "Stock changes" } as const;

interface WebhookTypeChoiceProps {
  type: WebhookType;
  onChange: (type: WebhookType) => void;
}

export function WebhookTypeChoice({ type, onChange }: WebhookTypeChoiceProps) {
  return (
    <fieldset className="segmented">
      <legend>Event</legend>
      {(["price.alert", "stock.alert"] as const).map((one) => (
        <label key={one}>
          <input type="radio" name="type" checked={type === one} onChange={() => onChange(one)} />
          <span>{texts[one]}</span>
        </label>
      ))}
    </fieldset>
  );
}
