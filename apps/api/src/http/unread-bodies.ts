import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

export interface UnreadLimits {
  checkEveryMs: number;
  mostBytes: number;
  longestMs: number;
}

const unreadLimits: UnreadLimits = {
  checkEveryMs: 1000,
  mostBytes: 64 * 1024 * 1024,
  longestMs: 30_000,
};

/**
 * A request may be answered before its body is whole. Many clients read the answer only when all is sent, and closing the
 * connection under them would lose it: Node reads the rest and drops it. Here that ends after a time and a size.
 */
export function registerUnreadBodies(app: FastifyInstance, limits: UnreadLimits = unreadLimits): void {
  const unread = new Map<IncomingMessage, { sinceMs: number; bytesReadBefore: number }>();
  app.addHook("onResponse", ({ raw }, _reply, done) => {
    // Undefined where a request is injected without a connection.
    if (raw.complete === false && !raw.destroyed) {
      unread.set(raw, { sinceMs: performance.now(), bytesReadBefore: raw.socket.bytesRead });
      raw.once("close", () => unread.delete(raw));
    }
    done();
  });
  const checking = setInterval(() => {
    const now = performance.now();
    for (const [raw, { sinceMs, bytesReadBefore }] of unread) {
      const isOver =
        now - sinceMs > limits.longestMs || raw.socket.bytesRead - bytesReadBefore > limits.mostBytes;
      if (raw.complete) unread.delete(raw);
      else if (isOver) raw.socket.destroy();
    }
  }, limits.checkEveryMs);
  checking.unref();
  app.addHook("preClose", async () => {
    clearInterval(checking);
    for (const raw of unread.keys()) raw.socket.destroy();
  });
}
