import type { WebhookWithKey } from "@product-search/client";
import { createContext, type ReactNode, useCallback, useContext, useMemo, useState } from "react";
import { useLeaveWarning } from "../use-page-title.ts";

interface SigningKeys {
  /** A new key that nobody has confirmed as saved yet. */
  fresh: WebhookWithKey | undefined;
  confirmSaved(): void;
  /** Shows a new key until it is confirmed as saved, whatever else the page shows meanwhile. */
  showKey(webhook: WebhookWithKey): void;
  /** The key of a webhook, if it was shown since the page was loaded: to check signatures with. */
  keyOf(webhookId: string): string | undefined;
}

const SigningKeysContext = createContext<SigningKeys | undefined>(undefined);

/** The keys that this page has seen, in memory only. */
export function SigningKeysProvider({ children }: { children: ReactNode }) {
  const [fresh, setFresh] = useState<WebhookWithKey>();
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  useLeaveWarning(fresh !== undefined);
  const showKey = useCallback((webhook: WebhookWithKey) => {
    setFresh(webhook);
    setSeen((previous) => new Map(previous).set(webhook.id, webhook.apiKey));
  }, []);
  const keys = useMemo<SigningKeys>(
    () => ({
      fresh,
      confirmSaved: () => setFresh(undefined),
      showKey,
      keyOf: (webhookId) => seen.get(webhookId),
    }),
    [fresh, showKey, seen],
  );
  return <SigningKeysContext value={keys}>{children}</SigningKeysContext>;
}

export function useSigningKeys(): SigningKeys {
  const keys = useContext(SigningKeysContext);
  if (!keys) throw new Error("useSigningKeys is used outside of SigningKeysProvider.");
  return keys;
}
