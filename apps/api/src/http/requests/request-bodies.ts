import type { IncomingMessage } from "node:http";
import { ApiError } from "@product-search/core/errors.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ConnectionLimits } from "../connections/connection-limits.ts";
import { intervalWhile } from "../connections/interval-while.ts";
import { callerOf } from "../spec-routes.ts";

/** The memory for concurrent request bodies of a thread, shared fairly between the senders. */
export interface BodyBudget {
  /** Reserves memory; false if the holder has its share or the budget is used up. */
  reserve(holder: string, bytes: number): boolean;
  release(holder: string, bytes: number): void;
}

/**
 * A holder may hold at most as much as is still free.
 * So a single holder can use half of the budget, and some of it is always left for the next one. A fixed share would
 * either keep a single partner from using an idle service, or add up to more than there is. (Switches share their
 * buffers by this rule.)
 */
export function createBodyBudget(totalBytes: number): BodyBudget {
  const held = new Map<string, number>();
  let free = totalBytes;
  return {
    reserve(holder, bytes) {
      const after = (held.get(holder) ?? 0) + bytes;
      if (after > free) return false;
      held.set(holder, after);
      free -= bytes;
      return true;
    },
    release(holder, bytes) {
      const after = (held.get(holder) ?? 0) - bytes;
      if (after > 0) held.set(holder, after);
      else held.delete(holder);
      free += bytes;
    },
  };
}

const smallBodyBytes = 64 * 1024;
/** The minimum that is counted for a small body, because its socket and its request also take memory. */
const minBytes = 16 * 1024;

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
      holder: callerOf(request),
      budget: announced > smallBodyBytes ? large : small,
      bytes: Math.max(announced, minBytes),
      watched: undefined,
    };
    if (!body.budget.reserve(body.holder, body.bytes)) throw noMemory();
    bodies.add(body);
    checking.start();
    // Also when the client disconnects before its body is complete: the framework calls no hook then.
    reply.raw.once("close", () => {
      bodies.delete(body);
      body.budget.release(body.holder, body.bytes);
    });
    if (announced > smallBodyBytes || request.headers["transfer-encoding"] !== undefined)
      readInTurns(request.raw);
    if (request.headers["transfer-encoding"] !== undefined) watchGrowth(body, large);
    if (request.headers.expect !== undefined) reply.raw.writeContinue();
    done();
  });

  const checking = intervalWhile(limits.checkEveryMs, () => {
    const now = performance.now();
    for (const body of bodies) if (isTooSlow(body, now, limits)) fail(body, tooSlow());
    return bodies.size > 0;
  });
  app.addHook("onClose", async () => checking.stop());
}

/**
 * Reads 128 kB at most before everything else has its turn. Node reads up to 2 MB of each connection at once: with 40 uploads,
 * others waited for 80 MB each time.
 */
function readInTurns(raw: IncomingMessage): void {
  raw.on("data", () => {
    raw.pause();
    setImmediate(() => raw.resume());
  });
}

/** A body of unknown length starts as a small one. If it gets larger, memory for the largest body of the operation must be available. */
function watchGrowth(body: Body, large: BodyBudget): void {
  const { raw, routeOptions } = body.request;
  const { bodyLimit } = routeOptions;
  // More is refused by whoever reads it.
  if (bodyLimit <= smallBodyBytes) return;
  let received = 0;
  const count = (chunk: Buffer) => {
    received += chunk.length;
    if (received <= smallBodyBytes) return;
    raw.off("data", count);
    if (!large.reserve(body.holder, bodyLimit)) return fail(body, noMemory());
    body.budget.release(body.holder, body.bytes);
    body.budget = large;
    body.bytes = bodyLimit;
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

/** Requests whose connection is closed after their body has been read, because the client or the framework asked for it. */
const closeAfterBody = new WeakSet<IncomingMessage>();

/**
 * Called before a request is refused while its body is still arriving. A client that sends the whole body before it reads
 * would get a connection reset instead of the response. So Node must not close the connection after the response, but
 * read and drop the rest of the body.
 */
export function keepReading({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  const length = headers["content-length"] ?? "0";
  const hasBody = length !== "0" || headers["transfer-encoding"] !== undefined;
  // Undefined if a request is injected without a connection.
  if (!hasBody || raw.complete !== false) return;
  if (raw.listenerCount("data") === 0) readInTurns(raw);
  if (reply.raw.shouldKeepAlive && reply.getHeader("connection") !== "close") return;
  closeAfterBody.add(raw);
  reply.removeHeader("connection");
  reply.raw.removeHeader("connection");
  reply.raw.shouldKeepAlive = true;
}

/** Stops reading bodies of refused requests: when they are complete, or at a limit of time or size. */
export function registerUnreadBodies(app: FastifyInstance, limits: ConnectionLimits): void {
  const unread = new Map<IncomingMessage, { sinceMs: number; bytesReadBefore: number }>();
  app.addHook("onResponse", ({ raw }, _reply, done) => {
    if (raw.complete === false && !raw.destroyed) {
      checking.start();
      unread.set(raw, { sinceMs: performance.now(), bytesReadBefore: raw.socket.bytesRead });
      raw.once("close", () => end(raw));
    } else if (closeAfterBody.has(raw)) raw.socket.destroySoon();
    done();
  });
  function end(raw: IncomingMessage): void {
    unread.delete(raw);
    if (closeAfterBody.has(raw)) raw.socket.destroySoon();
  }
  const checking = intervalWhile(limits.checkEveryMs, () => {
    const now = performance.now();
    for (const [raw, { sinceMs, bytesReadBefore }] of unread) {
      const bytes = raw.socket.bytesRead - bytesReadBefore;
      if (now - sinceMs > limits.unreadTimeoutMs || bytes > limits.unreadBytes) raw.socket.destroy();
    }
    return unread.size > 0;
  });
  app.addHook("preClose", async () => {
    checking.stop();
    for (const raw of unread.keys()) raw.socket.destroy();
  });
}
