import { failed, noResponse } from "./failures.ts";

/** The time limit of a call, including retries and pauses, combined with the caller's signal. */
export interface Deadline {
  /** Aborts at the time limit or when the caller aborts, with the reason to throw. */
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
  /**
   * The request with this signal. Undici keeps only a weak reference to the signal of a request: without another reference to
   * the request, the garbage collector removes it and the abort never arrives.
   */
  readonly attach: (request: Request) => Request;
  /** Remembers the current request, so that an error can name it. */
  readonly noteRequest: (request: Request) => void;
  /** Method and URL of that request, without the query: search texts do not belong in logs. */
  readonly requestName: () => string | undefined;
  /** Call it at the end of the call: it releases the timer and the caller's signal. */
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

/** Waits. Throws the reason of the signal if that aborts first. */
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
    noResponse("timeout"),
  );
}
