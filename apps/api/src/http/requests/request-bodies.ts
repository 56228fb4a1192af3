import { ApiError } from "@product-search/core/errors.ts";
import { bodyLimitBytes } from "@product-search/http-rules/responses/error-body.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { clientAddress, clientNetwork } from "../access/client-network.ts";
import type { ConnectionLimits } from "../connections/connection-limits.ts";
import { type BodyBudget, createBodyBudget } from "./body-budget.ts";

const smallBodyBytes = 64 * 1024;
/** The minimum that is counted for a small body, because its socket and its request also take memory. */
const leastBytes = 16 * 1024;

/** A body that is being received, or whose request is still being handled. */
interface Body {
  request: FastifyRequest;
  reply: FastifyReply;
  holder: string;
  budget: BodyBudget;
  bytes: number;
  /** When the check first found that it is still arriving. Most bodies are complete before a check. */
  watched: { sinceMs: number; bytesReadBefore: number } | undefined;
}

/** Admits bodies within the memory of the thread before they are read. Bodies that arrive too slowly get 408. */
export function registerRequestBodies(app: FastifyInstance, limits: ConnectionLimits): void {
  const large = createBodyBudget(limits.largeBudgetBytes);
  const small = createBodyBudget(limits.smallBudgetBytes);
  const bodies = new Set<Body>();

  app.addHook("preParsing", (request, reply, _payload, done) => {
    const announced = announcedBytes(request);
    if (announced === 0) return done();
    const body: Body = {
      request,
      reply,
      holder: holderOf(request),
      budget: announced > smallBodyBytes ? large : small,
      bytes: Math.max(announced, leastBytes),
      watched: undefined,
    };
    if (!body.budget.reserve(body.holder, body.bytes)) throw noMemory();
    bodies.add(body);
    // Also when the client disconnects before its body is complete: the framework calls no hook then.
    reply.raw.once("close", () => {
      bodies.delete(body);
      body.budget.release(body.holder, body.bytes);
    });
    if (request.headers["transfer-encoding"] !== undefined) watchGrowth(body, large);
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    done();
  });

  const checking = setInterval(() => {
    const now = performance.now();
    for (const body of bodies) if (isTooSlow(body, now, limits)) fail(body, tooSlow());
  }, limits.checkEveryMs);
  checking.unref();
  app.addHook("onClose", async () => clearInterval(checking));
}

/** A public token is in everybody's hands: each address that uses it has a share of its own. */
function holderOf(request: FastifyRequest): string {
  const { token } = request;
  if (token !== undefined && token.publicOrigins === undefined) return token.id;
  return clientNetwork(clientAddress(request));
}

/** A body of unknown length starts as a small one. If it gets larger, memory for the largest body must be available. */
function watchGrowth(body: Body, large: BodyBudget): void {
  const { raw } = body.request;
  let received = 0;
  const count = (chunk: Buffer) => {
    received += chunk.length;
    if (received <= smallBodyBytes) return;
    raw.off("data", count);
    if (!large.reserve(body.holder, bodyLimitBytes)) return fail(body, noMemory());
    body.budget.release(body.holder, body.bytes);
    body.budget = large;
    body.bytes = bodyLimitBytes;
  };
  raw.on("data", count);
}

/** 0 for GET and HEAD: their bodies are not read. */
function announcedBytes({ method, headers }: FastifyRequest): number {
  if (method === "GET" || method === "HEAD") return 0;
  if (headers["transfer-encoding"] !== undefined) return smallBodyBytes;
  return Number(headers["content-length"] ?? 0);
}

function isTooSlow(body: Body, now: number, limits: ConnectionLimits): boolean {
  const { raw } = body.request;
  if (raw.complete) return false;
  body.watched ??= { sinceMs: now, bytesReadBefore: raw.socket.bytesRead };
  const elapsedMs = now - body.watched.sinceMs;
  if (elapsedMs < limits.bodyGraceMs) return false;
  const received = raw.socket.bytesRead - body.watched.bytesReadBefore;
  return elapsedMs > limits.bodyTimeoutMs || received < (limits.bodyBytesPerSecond * elapsedMs) / 1000;
}

/** The body parser listens for errors of the body while it reads. Afterwards there is nothing to stop. */
function fail({ request: { raw }, reply }: Body, error: ApiError): void {
  if (!reply.sent && raw.listenerCount("error") > 0) raw.emit("error", error);
}

const noMemory = () =>
  new ApiError("unavailable", "The service cannot accept another upload right now. Try again shortly.", {
    retryAfterSeconds: 1,
  });

const tooSlow = () =>
  new ApiError(
    "request_timeout",
    "The body arrives too slowly. Send the request again over a faster connection.",
  );
