import type { Clock } from "@product-search/core/ports/clock.ts";
import { maxFailures } from "@product-search/core/ports/dead-letters.ts";
import type { DeliveryTask, TaskResult, Verdict } from "@product-search/core/ports/delivery-queue.ts";
import {
  OutboundError,
  type OutboundHttp,
  type OutboundResponse,
} from "@product-search/core/ports/outbound-http.ts";
import { Webhook } from "standardwebhooks";
import { readExcerpt } from "./response-excerpt.ts";
import { nextAttemptAt, parseRetryAfter } from "./retry-schedule.ts";

const defaultAttemptTimeoutMs = 15_000;
/** More than the excerpt needs. Nothing beyond this is read. */
const maxResponseBytes = 65_536;

export interface AttemptDeps {
  webhookHttp: Pick<OutboundHttp, "send">;
  clock: Clock;
  /** From 0 to 1, for the jitter. */
  random(): number;
  /** How long a target may take to respond. */
  attemptTimeoutMs?: number;
}

/** One attempt: sign, send, evaluate the response. Never fails. Without `attempt` in the result, `signal` aborted it. */
export async function attemptDelivery(
  { webhookHttp, clock, random, attemptTimeoutMs = defaultAttemptTimeoutMs }: AttemptDeps,
  task: DeliveryTask,
  signal: AbortSignal,
): Promise<TaskResult> {
  const attemptedAtMs = clock.now();
  const startedMs = performance.now();
  const ended = (outcome: Outcome): TaskResult => {
    const durationMs = Math.round(performance.now() - startedMs);
    const verdict = judge(task, outcome, clock.now(), random());
    const { responseStatus, responseBody, error } = outcome;
    return {
      task,
      attempt: {
        attemptedAtMs,
        durationMs,
        ...(responseStatus !== undefined && { responseStatus }),
        ...(responseBody !== undefined && { responseBody }),
        ...(error !== undefined && { error }),
        ...verdict,
      },
    };
  };
  try {
    const response = await webhookHttp.send(
      {
        url: task.url,
        method: "POST",
        headers: {
          ...signedHeaders(task, attemptedAtMs),
          ...(task.traceparent !== undefined && { traceparent: task.traceparent }),
        },
        body: task.body,
        timeoutMs: attemptTimeoutMs,
        maxResponseBytes,
      },
      signal,
    );
    return ended(await readOutcome(task, response));
  } catch (error) {
    if (error instanceof OutboundError && error.failure === "aborted") return { task };
    if (error instanceof UnsentError) return ended({ error: error.message, isUnsent: true });
    return ended({ error: error instanceof OutboundError ? error.message : "The attempt failed." });
  }
}

interface Outcome {
  responseStatus?: number;
  responseBody?: string;
  retryAfter?: string | undefined;
  error?: string;
  isUnsent?: true;
}

/** An error in this service: there is nothing to send. */
class UnsentError extends Error {}

/** The headers of https://www.standardwebhooks.com, signed with every valid key. */
function signedHeaders(task: DeliveryTask, atMs: number): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "product-search-webhooks/1",
    "webhook-id": task.eventId,
    "webhook-timestamp": String(Math.floor(atMs / 1000)),
    "webhook-signature": signatures(task, new Date(atMs)).join(" "),
  };
}

function signatures({ eventId, body, signingKeys, fault }: DeliveryTask, at: Date): string[] {
  if (fault !== undefined) throw new UnsentError(fault);
  try {
    return signingKeys.map((key) => new Webhook(key).sign(eventId, at, body));
  } catch (cause) {
    throw new UnsentError("Nothing was sent, because the delivery cannot be signed.", { cause });
  }
}

async function readOutcome(task: DeliveryTask, response: OutboundResponse): Promise<Outcome> {
  const { status } = response;
  const responseBody = await readExcerpt(response.body, task.signingKeys);
  response.discard();
  return {
    responseStatus: status,
    ...(responseBody !== undefined && { responseBody }),
    ...(isSuccess(status) ? {} : { retryAfter: response.headers["retry-after"], error: faultOf(status) }),
  };
}

function judge(task: DeliveryTask, outcome: Outcome, nowMs: number, random: number): Verdict {
  const { responseStatus, retryAfter, isUnsent = false } = outcome;
  if (responseStatus !== undefined && isSuccess(responseStatus)) return { verdict: "succeeded" };
  if (responseStatus === 410) return { verdict: "failed", gone: true };
  if (task.test) return { verdict: "failed" };
  if (isUnsent) {
    const atMs = nextAttemptAt({ attempt: (task.failures % maxFailures) + 1, nowMs, random });
    return { verdict: "unsent", atMs: atMs ?? nowMs };
  }
  const retryAfterMs = parseRetryAfter(retryAfter, nowMs);
  const atMs = nextAttemptAt({
    attempt: task.attempt,
    nowMs,
    random,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  return atMs === undefined ? { verdict: "failed" } : { verdict: "retry", atMs };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function faultOf(status: number): string {
  if (status === 410) return "The target responded with 410: it does not want more deliveries.";
  if (status >= 300 && status < 400)
    return `The target responded with ${status}: redirects are not followed.`;
  return `The target responded with ${status}; only 2xx is a success.`;
}
