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

type Ending = "succeeded" | "failed" | "abandoned";

/** A gate grants a place or throws. The first call of the returned function releases the place. */
function createGate(limits: WriterLimits, clock: Clock): (signal: AbortSignal) => (ending: Ending) => void {
  let running = 0;
  let failures = 0;
  let openUntilMs = 0;
  let starts: number[] = [];
  const admit = (nowMs: number): void => {
    starts = starts.filter((startMs) => startMs > nowMs - minuteMs);
    if (nowMs < openUntilMs) throw new AnswerWriterBusyError("The writer rests after failures.");
    if (running >= limits.concurrentCalls) throw new AnswerWriterBusyError("Too many calls are running.");
    if (starts.length >= limits.callsPerMinute)
      throw new AnswerWriterBusyError("Too many calls in this minute.");
  };
  const count = (ending: Ending, signal: AbortSignal): void => {
    const hung = signal.aborted && isTimeout(signal.reason);
    if (hung || (ending === "failed" && !signal.aborted)) {
      failures += 1;
      // Only a failure opens: the count stays high after the open period, so that one more failure is enough.
      if (failures >= limits.failuresToOpen) openUntilMs = clock.now() + limits.openMs;
    } else if (ending === "succeeded") failures = 0;
  };
  return (signal) => {
    // The writer is not called, so this says nothing about it, also when a deadline has passed.
    signal.throwIfAborted();
    const nowMs = clock.now();
    admit(nowMs);
    running += 1;
    starts.push(nowMs);
    let left = false;
    return (ending) => {
      if (left) return;
      left = true;
      running -= 1;
      count(ending, signal);
    };
  };
}

/** An abort by the caller says nothing about the writer; a missed deadline does. */
function isTimeout(reason: unknown): boolean {
  return reason instanceof DOMException && reason.name === "TimeoutError";
}
