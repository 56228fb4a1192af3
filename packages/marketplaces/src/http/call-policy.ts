import type { Circuit } from "@product-search/core/ports/marketplace-source.ts";
import {
  BrokenCircuitError,
  BulkheadRejectedError,
  bulkhead,
  CircuitState,
  CountBreaker,
  circuitBreaker,
  ExponentialBackoff,
  halfJitterGenerator,
  handleWhen,
  retry,
  TaskCancelledError,
} from "cockatiel";
import { UpstreamError } from "./upstream-error.ts";

export interface CallPolicy {
  /** Runs one request under all rules. Fails only with `UpstreamError`. */
  run<Response>(request: (signal: AbortSignal) => Promise<Response>, signal: AbortSignal): Promise<Response>;
  readonly circuit: Circuit;
}

/** Maximum number of concurrent requests to one marketplace, and of requests that wait. */
const maxConcurrent = 20;
const maxWaiting = 100;
const retries = { maxAttempts: 2, backoff: new ExponentialBackoff({ initialDelay: 100, maxDelay: 800 }) };
/** The circuit opens if more than half of the last twenty requests failed, but at least five. */
const breaking = { threshold: 0.5, size: 20, minimumNumberOfCalls: 5 };
/**
 * How long the circuit stays open before one request probes. The time doubles after each failed probe, minus a random part
 * of up to half. The library's own jitter can be almost zero; then a retry would become the probe.
 */
const openPeriod = { initialDelay: 1500, maxDelay: 30_000, generator: halfJitterGenerator };

/**
 * Bulkhead, then retry with jitter, then the circuit breaker: each retry passes the breaker. While a probe runs, other
 * requests do not wait for it: a stale response now is better than a fresh one that may not come.
 */
export function createCallPolicy(onCircuit: (state: Circuit) => void): CallPolicy {
  const room = bulkhead(maxConcurrent, maxWaiting);
  const retrying = retry(
    handleWhen((error) => error instanceof UpstreamError && error.isTransient),
    retries,
  );
  const breaker = circuitBreaker(
    // If a probe ended because of this service, it says nothing about the marketplace: only a success closes the circuit.
    handleWhen(
      (error) =>
        breaker.state === CircuitState.HalfOpen || (error instanceof UpstreamError && error.isUnhealthy),
    ),
    { halfOpenAfter: new ExponentialBackoff(openPeriod), breaker: new CountBreaker(breaking) },
  );
  breaker.onStateChange(() => onCircuit(stateOf(breaker.state)));

  return {
    get circuit() {
      return stateOf(breaker.state);
    },
    async run(request, signal) {
      const attempt = () => {
        if (breaker.state === CircuitState.HalfOpen) throw circuitOpen();
        signal.throwIfAborted();
        return breaker.execute(() => request(signal), signal);
      };
      try {
        return await room.execute(() => retrying.execute(attempt, signal), signal);
      } catch (error) {
        throw toUpstreamError(error, signal);
      }
    },
  };
}

function stateOf(state: CircuitState): Circuit {
  if (state === CircuitState.Closed) return "closed";
  return state === CircuitState.HalfOpen ? "half-open" : "open";
}

function circuitOpen(): UpstreamError {
  return new UpstreamError("open", "keeps failing and is not called for a while. Try again later.", {
    retryAfterSeconds: Math.ceil(openPeriod.initialDelay / 1000),
  });
}

function toUpstreamError(error: unknown, signal: AbortSignal): UpstreamError {
  if (error instanceof UpstreamError) return error;
  if (error instanceof BrokenCircuitError) return circuitOpen();
  if (error instanceof BulkheadRejectedError) {
    return new UpstreamError("busy", "has too many waiting searches. Try again shortly.", {
      retryAfterSeconds: 1,
    });
  }
  if (error instanceof TaskCancelledError || signal.aborted) {
    return new UpstreamError("timeout", "did not respond in time. Try again later.", { cause: error });
  }
  return new UpstreamError("unreadable", "returned a response that this service cannot read.", {
    cause: error,
  });
}
