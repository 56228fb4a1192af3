import { type Client, createClient } from "@product-search/client";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { keep, readKept } from "./kept.ts";

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export interface Service {
  client: Client;
  /** Where the service is, as a partner would write it. */
  baseUrl: string;
  token: string;
  remembered: boolean;
  /** Kept while this tab is open, also when the page is loaded anew; in this browser only when asked to remember it. */
  setToken(token: string, remember: boolean): void;
}

const ServiceContext = createContext<Service | undefined>(undefined);

// Read once: whatever renders the page twice must find the same.
const given = takeTokenFromAddress();

function initialState(): Pick<Service, "token" | "remembered"> {
  const remembered = readKept("token");
  const token = given ?? readKept("token", "tab") ?? remembered ?? "";
  if (given !== undefined) keep("token", given, "tab");
  return { token, remembered: token !== "" && token === remembered };
}

export function ServiceProvider({ children }: { children: ReactNode }) {
  const [state, setState] = useState(initialState);
  const service = useMemo<Service>(() => {
    const baseUrl = `${location.origin}/api/v1`;
    return {
      ...state,
      baseUrl,
      // Someone is watching: failures are shown at once and tried again by hand.
      client: createClient({
        baseUrl,
        timeoutMs: 20_000,
        retries: 0,
        ...(state.token && { token: state.token }),
      }),
      setToken(token, remember) {
        keep("token", remember && token ? token : undefined);
        keep("token", token || undefined, "tab");
        setState({ token, remembered: remember });
      },
    };
  }, [state]);
  return <ServiceContext value={service}>{children}</ServiceContext>;
}

export function useService(): Service {
  const service = useContext(ServiceContext);
  if (!service) throw new Error("useService is used outside of ServiceProvider.");
  return service;
}

/**
 * The token that the address `pnpm start` prints carries behind its `#`, which browsers send nowhere; taken out of the
 * address at once. Only on this machine: elsewhere a link could slip somebody another one's token.
 */
function takeTokenFromAddress(): string | undefined {
  const token = /^#token=(pss_\w+)$/.exec(location.hash)?.[1];
  if (token === undefined || !loopback.test(location.hostname)) return undefined;
  history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}
