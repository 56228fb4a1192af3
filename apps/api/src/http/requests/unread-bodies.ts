import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ConnectionLimits } from "../connections/connection-limits.ts";

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
      unread.set(raw, { sinceMs: performance.now(), bytesReadBefore: raw.socket.bytesRead });
      raw.once("close", () => end(raw));
    } else if (closeAfterBody.has(raw)) raw.socket.destroySoon();
    done();
  });
  function end(raw: IncomingMessage): void {
    unread.delete(raw);
    if (closeAfterBody.has(raw)) raw.socket.destroySoon();
  }
  const checking = setInterval(() => {
    const now = performance.now();
    for (const [raw, { sinceMs, bytesReadBefore }] of unread) {
      const bytes = raw.socket.bytesRead - bytesReadBefore;
      if (now - sinceMs > limits.unreadTimeoutMs || bytes > limits.unreadBytes) raw.socket.destroy();
    }
  }, limits.checkEveryMs);
  checking.unref();
  app.addHook("preClose", async () => {
    clearInterval(checking);
    for (const raw of unread.keys()) raw.socket.destroy();
  });
}
