import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  OutboundError,
  type OutboundHttp,
  type OutboundResponse,
} from "@product-search/core/ports/outbound-http.ts";
import {
  type DeliveryTask,
  maxFailures,
  type TaskResult,
  type Verdict,
} from "@product-search/core/ports/webhooks.ts";
import { Webhook } from "standardwebhooks";

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

const excerptBytes = 1024;
/** Secrets are removed before the excerpt is cut; otherwise half of a secret at its end would stay. */
const readBytes = 4096;
const readTimeoutMs = 1000;

const secretForms = [
  /whsec_[A-Za-z0-9+/=_-]+/g,
  /v1a?,[A-Za-z0-9+/=]{20,}/g,
  /pss_[A-Za-z0-9]+/g,
  /\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]+/gi,
  /((?:password|passwd|secret|token|api[_-]?key|authorization)["']?\s*[:=]\s*)["']?[^\s"',;&}]+["']?/gi,
];
// Control characters, unsafe in logs, terminals and databases. Tab, line feed and carriage return may stay.
const controlCharacters = /[^\P{Cc}\t\n\r]/gu;

/** The beginning of the target's response without secrets: our own, and anything that looks like one. */
export async function readExcerpt(
  body: AsyncIterable<Uint8Array>,
  secrets: readonly string[],
): Promise<string | undefined> {
  const text = Buffer.from(await readStart(body)).toString("utf8");
  let clean = text.replace(controlCharacters, "\ufffd");
  for (const secret of secrets) clean = clean.replaceAll(secret, "[removed]");
  for (const form of secretForms) clean = clean.replace(form, "[removed]");
  return clean === "" ? undefined : cut(clean);
}

/** Reads what arrives within a moment. The result of the attempt is already known and must not wait for a slow body. */
async function readStart(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = body[Symbol.asyncIterator]();
  const enough = Promise.withResolvers<undefined>();
  const timer = setTimeout(enough.resolve, readTimeoutMs, undefined);
  try {
    while (length < readBytes) {
      const next = await Promise.race([reader.next(), enough.promise]);
      if (next === undefined || next.done === true) break;
      chunks.push(next.value);
      length += next.value.byteLength;
    }
  } catch {
    // An error in the body changes nothing: the status has arrived.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, readBytes);
}

/** At most this many bytes, without half a character at the end. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= excerptBytes) return text;
  return bytes
    .subarray(0, excerptBytes)
    .toString("utf8")
    .replace(/\ufffd+$/, "");
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** The pauses between ten attempts: about 75 hours in total. */
export const retryDelaysMs: readonly number[] = [
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** Jitter, so that targets that failed together are not retried together. */
const jitter = 0.1;

/** The maximum pause that `Retry-After` can request. */
export const maxDelayMs = 26.4 * hourMs;

interface FailedAttempt {
  /** Starts with 1. */
  attempt: number;
  nowMs: number;
  /** From `Retry-After`. */
  retryAfterMs?: number;
  /** From 0 to 1. */
  random: number;
}

/** The time of the next attempt; undefined after the last attempt. */
export function nextAttemptAt({
  attempt,
  nowMs,
  retryAfterMs = 0,
  random,
}: FailedAttempt): number | undefined {
  const delayMs = retryDelaysMs[attempt - 1];
  if (delayMs === undefined) return undefined;
  const planned = delayMs * (1 - jitter + 2 * jitter * random);
  return nowMs + Math.round(Math.min(Math.max(planned, retryAfterMs), maxDelayMs));
}

/** Seconds or an HTTP date (RFC 9110, section 10.2.3), at most `maxDelayMs`; undefined for anything else. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxDelayMs);
  // JavaScript reads "-5" and "1.5" as days of the year 2001.
  const atMs = /[a-z]{3}|T/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.min(Math.max(0, atMs - nowMs), maxDelayMs);
}
