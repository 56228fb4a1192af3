import type { CallOptions } from "./call-options.ts";
import { type Deadline, pause } from "./deadline.ts";
import { failed, isProductSearchError, noResponse, type ProductSearchError } from "./failures.ts";
import { readResponse } from "./read-response.ts";

export interface Sending extends Pick<CallOptions, "headers"> {
  fetch: (request: Request) => Promise<Response>;
  deadline: Deadline;
  /** The maximum number of retries; 0 if the request must not be repeated. */
  retries: number;
  onRequest?: CallOptions["onRequest"] | undefined;
  onResponse?: CallOptions["onResponse"] | undefined;
  onError?: CallOptions["onError"] | undefined;
}

const worthRetrying = new Set<number | undefined>([429, 502, 503, 504]);
const maxPauseMs = 8000;
/** A day. Timers cannot wait longer than 24 days: they would end at once. */
const maxAskedPauseMs = 86_400_000;

/** Sends a request, with retries. Throws a `ProductSearchError` if it does not succeed. */
export async function send(request: Request, sending: Sending): Promise<Response> {
  sending.deadline.noteRequest(request);
  for (const [name, value] of Object.entries(sending.headers ?? {})) request.headers.set(name, value);
  for (let tried = 0; ; tried++) {
    const last = tried >= sending.retries;
    try {
      return await sendOnce(last ? request : request.clone(), sending);
    } catch (error) {
      if (last || !isProductSearchError(error) || !isWorthRetrying(error)) throw error;
      const pauseMs = pauseBefore(tried, error.retryAfter);
      // A wait beyond the time limit would only replace this error with a timeout.
      if (pauseMs >= sending.deadline.remainingMs()) throw error;
      await pause(pauseMs, sending.deadline.signal);
    }
  }
}

async function sendOnce(given: Request, sending: Sending): Promise<Response> {
  const { fetch, deadline, onRequest, onResponse, onError } = sending;
  // A hook that throws is a fault of the partner's program, not of the network.
  const changed = await onRequest?.(given);
  const request = changed instanceof Request ? changed : given;
  try {
    const response = await fetch(deadline.attach(request));
    onResponse?.(response, request);
    const streamed = response.ok && response.headers.get("content-type")?.startsWith("text/event-stream");
    return streamed ? response : await readResponse(response);
  } catch (caught) {
    const error = asFailure(caught, deadline);
    onError?.(error, request);
    throw error;
  }
}

/** The error to throw: the reason of an abort, a `ProductSearchError` unchanged, anything else as a network error. */
export function asFailure(error: unknown, { signal, requestName }: Deadline): unknown {
  if (isProductSearchError(error)) return error;
  if (signal.aborted) return signal.reason;
  const fault = systemCode(error);
  return failed(
    `${requestName() ?? "The request"}: the connection failed before the response was complete${fault ? ` (${fault})` : ""}. ` +
      "See the cause for details.",
    noResponse("network_error"),
    error,
  );
}

/** The name of the fault in Node (`ECONNREFUSED`), which `fetch` hides in the cause. Browsers give none. */
function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return "code" in error && typeof error.code === "string" ? error.code : systemCode(error.cause);
}

function isWorthRetrying({ code, status }: ProductSearchError): boolean {
  // The first request with the key is still running: its response comes with the next try.
  return code === "network_error" || code === "idempotency_in_flight" || worthRetrying.has(status);
}

/** The seconds of `Retry-After`, or exponential backoff; with jitter, so that clients do not retry at the same time. */
export function pauseBefore(tried: number, retryAfter: number | undefined): number {
  if (retryAfter !== undefined) return Math.min(retryAfter * 1000, maxAskedPauseMs) + Math.random() * 250;
  const ceiling = Math.min(maxPauseMs, 500 * 2 ** tried);
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}
