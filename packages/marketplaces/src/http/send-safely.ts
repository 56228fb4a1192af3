import type { Clock } from "@product-search/core/ports/clock.ts";
import {
  OutboundError,
  type OutboundFailure,
  type OutboundHttp,
  type OutboundRequest,
} from "@product-search/core/ports/outbound-http.ts";
import { UpstreamError, type UpstreamErrorKind } from "./upstream-error.ts";

/** The time until which a response is useful, and a signal that aborts at that time. */
export interface Deadline {
  latestMs: number;
  signal: AbortSignal;
}

export interface Sent {
  status: number;
  headers: Readonly<Record<string, string>>;
  bytes: Uint8Array;
}

/** 250 products with long descriptions are about 1 MB. */
const maxResponseBytes = 5_000_000;

/** Sends within the deadline. Every failure becomes an error without URLs and secrets. */
export async function sendSafely(
  outboundHttp: Pick<OutboundHttp, "send">,
  request: Pick<OutboundRequest, "url" | "method" | "headers" | "body">,
  { latestMs, signal }: Deadline,
  clock: Clock,
): Promise<Sent> {
  const bounds = {
    timeoutMs: Math.max(1, latestMs - clock.now()),
    maxResponseBytes,
    redirects: { max: 2, sameHostOnly: true },
    compressed: true,
  };
  try {
    const response = await outboundHttp.send({ ...request, ...bounds }, signal);
    return { status: response.status, headers: response.headers, bytes: await response.bytes() };
  } catch (error) {
    const [kind, message] = faults[error instanceof OutboundError ? error.failure : "connection"];
    throw new UpstreamError(kind, message, { cause: error });
  }
}

const late: [UpstreamErrorKind, string] = ["timeout", "did not respond in time. Try again later."];
const faults: Record<OutboundFailure, [UpstreamErrorKind, string]> = {
  timeout: late,
  aborted: late,
  connection: ["unreachable", "cannot be reached. Try again later."],
  tls: ["unreachable", "has no valid certificate. The operator must look into it."],
  too_large: ["unreadable", "sent more than can be read."],
  redirect: ["refused", "redirects to another host, which is not allowed."],
  forbidden_target: ["refused", "leads to an address that this service may not reach."],
};
