import { failed } from "./failures.ts";

/** The time that a call may take in all, its retries and pauses included, and the caller's own wish to stop. */
export interface Deadline {
  /** Aborts when the time is up or the caller aborts, with the reason to throw. */
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
  /**
   * The request with this signal. Undici refers to a request's signal weakly: unless something holds the request, a garbage
   * collection takes it, the abort never arrives, and the call waits for ever.
   */
  readonly attach: (request: Request) => Request;
  /** Notes the request that is being sent, so that an error can name it. */
  readonly noteRequest: (request: Request) => void;
  /** That request's method and URL, without the query: search words do not belong in logs. */
  readonly requestName: () => string | undefined;
  /** Must be called when the call is over: it lets go of the timer and of the caller's signal. */
  readonly end: () => void;
}

export function startDeadline(timeoutMs: number, callerSignal?: AbortSignal): Deadline {
  const controller = new AbortController();
  const endsAt = performance.now() + timeoutMs;
  let requestName: string | undefined;
  const held = new Set<Request>();
  const timer = setTimeout(() => {
    controller.abort(timedOut(timeoutMs, requestName));
    held.clear();
  }, timeoutMs);
  const onAbort = () => controller.abort(callerSignal?.reason);
  callerSignal?.addEventListener("abort", onAbort, { once: true });
  if (callerSignal?.aborted) onAbort();
  return {
    signal: controller.signal,
    remainingMs: () => endsAt - performance.now(),
    attach: (request) => {
      const attached = new Request(request, { signal: controller.signal });
      held.add(attached);
      return attached;
    },
    noteRequest: ({ method, url }) => {
      const { origin, pathname } = new URL(url);
      requestName = `${method} ${origin}${pathname}`;
    },
    requestName: () => requestName,
    end: () => {
      clearTimeout(timer);
      held.clear();
      callerSignal?.removeEventListener("abort", onAbort);
    },
  };
}

/** Waits, unless the signal aborts before: then throws its reason. */
export function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, durationMs);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

function timedOut(timeoutMs: number, requestName = "The request") {
  return failed(
    `${requestName}: no complete response within ${timeoutMs} ms. Raise timeoutMs, or try again later.`,
    { code: "timeout", status: undefined, body: undefined, requestId: undefined, response: undefined },
  );
}
