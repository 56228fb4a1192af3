import type { WebhookWithKey } from "@product-search/client";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { useLeaveWarning } from "../use-page-title.ts";

interface SigningKeys {
  /** A new key that nobody has confirmed as saved yet. */
  fresh: WebhookWithKey | undefined;
  confirmSaved(): void;
  /** Shows a new key until it is confirmed as saved, whatever else the page shows meanwhile. */
  showKey(webhook: WebhookWithKey): void;
}

const SigningKeysContext = createContext<SigningKeys | undefined>(undefined);

/** A new key, in memory only. */
export function SigningKeysProvider({ children }: { children: ReactNode }) {
  const [fresh, setFresh] = useState<WebhookWithKey>();
  useLeaveWarning(fresh !== undefined);
  const keys = useMemo<SigningKeys>(
    () => ({ fresh, confirmSaved: () => setFresh(undefined), showKey: setFresh }),
    [fresh],
  );
  return <SigningKeysContext value={keys}>{children}</SigningKeysContext>;
}

export function useSigningKeys(): SigningKeys {
  const keys = useContext(SigningKeysContext);
  if (!keys) throw new Error("useSigningKeys is used outside of SigningKeysProvider.");
  return keys;
}
