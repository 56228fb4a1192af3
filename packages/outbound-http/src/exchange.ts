import { OutboundError } from "@product-search/core/ports/outbound-http.ts";

/** The time limit of one exchange, including redirects and body. */
export interface Exchange {
  /** Aborts with an `OutboundError` that contains the reason. */
  signal: AbortSignal;
  end(): void;
}

export function startExchange(timeoutMs: number, host: string, callerSignal?: AbortSignal): Exchange {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new OutboundError("timeout", `"${host}" did not respond within ${timeoutMs} ms.`));
  }, timeoutMs);
  const onCallerAbort = () => {
    controller.abort(
      new OutboundError("aborted", `The request to "${host}" was aborted.`, { cause: callerSignal?.reason }),
    );
  };
  if (callerSignal?.aborted) onCallerAbort();
  callerSignal?.addEventListener("abort", onCallerAbort, { once: true });
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      callerSignal?.removeEventListener("abort", onCallerAbort);
    },
  };
}
