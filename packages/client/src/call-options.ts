export interface CallOptions {
  /** Aborts the call; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** The time that the call may take in all, retries and pauses included. Default: 30 000. */
  timeoutMs?: number;
  /** How often a failed call is tried again, where that is safe. Default: 2. */
  retries?: number;
  /** Is given each raw answer, those before a retry too; for its headers: the body is read by the client. */
  onResponse?: (response: Response) => void;
}

export interface ClientOptions extends Pick<CallOptions, "timeoutMs" | "retries" | "onResponse"> {
  /** Where the service is, its version included, as in `https://search.example/api/v1`. In a browser also `/api/v1`. */
  baseUrl: string;
  /** The access token. Only the trial search does without. */
  token?: string;
  /** Takes the place of the global `fetch`. */
  fetch?: (request: Request) => Promise<Response>;
}

/** The options of a call over those of its client, checked. */
export function settled(client: ClientOptions, call: CallOptions) {
  const timeoutMs = call.timeoutMs ?? client.timeoutMs ?? 30_000;
  const retries = call.retries ?? client.retries ?? 2;
  // Timers hold 31 bits: beyond, they would go off at once.
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) {
    throw new RangeError(`timeoutMs: ${timeoutMs} is not between 0 and 2147483647 milliseconds.`);
  }
  if (!(Number.isInteger(retries) && retries >= 0 && retries <= 10)) {
    throw new RangeError(`retries: ${retries} is not a whole number from 0 to 10.`);
  }
  return { timeoutMs, retries, signal: call.signal, onResponse: call.onResponse ?? client.onResponse };
}

/** Refuses a base URL early: it would otherwise look like a failing network. */
export function checkBaseUrl(baseUrl: string): void {
  const page = typeof location === "undefined" ? undefined : location.href;
  try {
    if (/^https?:$/.test(new URL(baseUrl, page).protocol)) return;
  } catch {
    // told below
  }
  throw new TypeError(
    `baseUrl: "${baseUrl}" is not an http(s) URL. Write it with its version: https://search.example/api/v1`,
  );
}
