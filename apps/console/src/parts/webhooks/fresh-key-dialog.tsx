import type { WebhookWithKey } from "@product-search/client";
import { useEffect, useId, useRef, useState } from "react";
import { CopyButton } from "../copy-button.tsx";

interface FreshKeyDialogProps {
  webhook: WebhookWithKey;
  onSaved: () => void;
}

/** The key is returned once: the dialog stays until it is confirmed as saved. */
export function FreshKeyDialog({ webhook, onSaved }: FreshKeyDialogProps) {
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isSaved, setSaved] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="key-dialog"
      aria-labelledby={titleId}
      onCancel={(event) => event.preventDefault()}
      // A browser lets the second Escape close a dialog all the same.
      onClose={() => dialog.current?.showModal()}
    >
      <h2 id={titleId}>Save this key</h2>
      <p>
        Use it to verify deliveries to <strong>{webhook.webhookUrl}</strong>. It will not be shown again.
      </p>
      <p className="row">
        <code className="key">{webhook.apiKey}</code>
        <CopyButton text={webhook.apiKey} label="Copy the key" />
      </p>
      <label className="check">
        <input type="checkbox" checked={isSaved} onChange={(event) => setSaved(event.target.checked)} />I have
        saved the key
      </label>
      <button type="button" className="primary" disabled={!isSaved} onClick={onSaved}>
        Done
      </button>
    </dialog>
  );
}
