import { type Client, createClient, isProductSearchError } from "@product-search/client";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";
import { keep, readKept } from "./kept.ts";

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

export interface Person {
  name: string;
  scopes: readonly string[];
  /** A proxy says who it is with every request: there is no session to end. */
  isByProxy?: true;
}

export interface Service {
  client: Client;
  baseUrl: string;
  /** What requests are sent with: a token, or `session` where the person has signed in. Empty if neither. */
  token: string;
  /** Who has signed in. */
  person: Person | undefined;
  /** Whether what only engineers need is shown: requests as code, webhooks, the interface. */
  isEngineer: boolean;
  setEngineer(isEngineer: boolean): void;
  signOut(): Promise<void>;
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

/** The service takes the cookie of a session under this path alone, from this page alone. */
const sessionBaseUrl = `${location.origin}/console/api/v1`;
const session = "session";

/** Read before anything is shown. Undefined if nobody has signed in, or the service cannot say. */
export async function readPerson(): Promise<Person | undefined> {
  try {
    const response = await fetch("/console/session");
    const { name, scopes = [], ...rest } = response.ok ? await response.json() : {};
    return name === undefined ? undefined : { name, scopes, ...rest };
  } catch {
    return undefined;
  }
}

/** Where the service is, as a partner would write it. */
const baseUrl = `${location.origin}/api/v1`;

/** Someone is watching: failures are shown at once and tried again by hand. */
function clientFor(token: string): Client {
  const settings = { timeoutMs: 20_000, retries: 0 };
  if (token === session) return createClient({ baseUrl: sessionBaseUrl, ...settings });
  return createClient({ baseUrl, ...settings, ...(token && { token }) });
}

/** Whether the service refuses a token. One that cannot be checked now is not refused: other requests will tell. */
export async function isRefused(token: string, signal?: AbortSignal): Promise<boolean> {
  try {
    await clientFor(token).suggest({ q: "a" }, { ...(signal && { signal }) });
    return false;
  } catch (error) {
    return isProductSearchError(error) && error.code === "unauthorized";
  }
}

export function ServiceProvider({ children, person }: { children: ReactNode; person: Person | undefined }) {
  const [isEngineer, setEngineer] = useState(
    () => (readKept("engineer") ?? (person ? "no" : "yes")) === "yes",
  );
  const [state, setState] = useState(() =>
    person === undefined ? initialState() : { token: session, remembered: false },
  );
  const service = useMemo<Service>(() => {
    return {
      ...state,
      baseUrl,
      client: clientFor(state.token),
      person: state.token === session ? person : undefined,
      isEngineer,
      setEngineer(next) {
        keep("engineer", next ? "yes" : "no");
        setEngineer(next);
      },
      async signOut() {
        await fetch("/console/sign-out", { method: "POST" });
        location.assign("/");
      },
      setToken(token, remember) {
        keep("token", remember && token ? token : undefined);
        keep("token", token || undefined, "tab");
        setState({ token, remembered: remember });
      },
    };
  }, [state, person, isEngineer]);
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
