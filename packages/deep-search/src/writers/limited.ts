import { type CallEnding, createCircuitBreaker } from "@product-search/core/mechanisms/circuit-breaker.ts";
import { type AnswerWriter, AnswerWriterBusyError } from "@product-search/core/ports/answer-writer.ts";
import type { Clock } from "@product-search/core/ports/clock.ts";

export interface WriterLimits {
  /** Maximum number of concurrent calls. A hanging model blocks no more requests than this. */
  concurrentCalls: number;
  callsPerMinute: number;
  /** After this many consecutive failures, no call is made for a while. */
  failuresToOpen: number;
  openMs: number;
}

export const defaultWriterLimits: WriterLimits = {
  concurrentCalls: 8,
  callsPerMinute: 120,
  failuresToOpen: 3,
  openMs: 30_000,
};

const minuteMs = 60_000;

/** Limits the cost of a writer: above a limit it refuses at once with `AnswerWriterBusyError`. */
export function createLimitedAnswerWriter(
  writer: AnswerWriter,
  limits: WriterLimits,
  clock: Clock,
): AnswerWriter {
  const enter = createGate(limits, clock);
  const once = async <Value>(signal: AbortSignal, call: () => Promise<Value>): Promise<Value> => {
    const leave = enter(signal);
    try {
      const value = await call();
      leave("succeeded");
      return value;
    } catch (error) {
      leave("failed");
      throw error;
    }
  };
  return {
    plan: (request, signal) => once(signal, () => writer.plan(request, signal)),
    repair: (brief, refusal, signal) => once(signal, () => writer.repair(brief, refusal, signal)),
    async *write(brief, signal) {
      const leave = enter(signal);
      try {
        yield* writer.write(brief, signal);
        leave("succeeded");
      } catch (error) {
        leave("failed");
        throw error;
      } finally {
        // Runs first if the consumer stops early.
        leave("abandoned");
      }
    },
  };
}

/** Grants a place or throws. The first call of the returned function releases the place. */
function createGate(
  limits: WriterLimits,
  clock: Clock,
): (signal: AbortSignal) => (ending: CallEnding) => void {
  const { concurrentCalls, callsPerMinute, failuresToOpen, openMs } = limits;
  const breaker = createCircuitBreaker({
    clock,
    judgedCalls: failuresToOpen,
    isFailing: (failures) => failures >= failuresToOpen,
    openMs: () => openMs,
    maxProbes: concurrentCalls,
  });
  let running = 0;
  let starts: number[] = [];
  return (signal) => {
    // The writer is not called, so this says nothing about it, also when a deadline has passed.
    signal.throwIfAborted();
    const nowMs = clock.now();
    starts = starts.filter((startMs) => startMs > nowMs - minuteMs);
    if (running >= concurrentCalls) throw new AnswerWriterBusyError("Too many calls are running.");
    if (starts.length >= callsPerMinute) throw new AnswerWriterBusyError("Too many calls in this minute.");
    const report = breaker.enter();
    if (report === undefined)
      throw new AnswerWriterBusyError("The writer is not called for a while after several failures.");
    running += 1;
    starts.push(nowMs);
    let hasLeft = false;
    return (ending) => {
      if (hasLeft) return;
      hasLeft = true;
      running -= 1;
      report(meaningOf(ending, signal));
    };
  };
}

/** A client that leaves says nothing about the writer; a missed deadline does, however the call ended. */
function meaningOf(ending: CallEnding, signal: AbortSignal): CallEnding {
  if (signal.aborted && isTimeout(signal.reason)) return "failed";
  return ending === "failed" && signal.aborted ? "abandoned" : ending;
}

function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
