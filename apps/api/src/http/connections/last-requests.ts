import { setImmediate, setTimeout } from "node:timers/promises";
import type { FastifyInstance } from "fastify";

/** How long requests may be on their way that were sent before their client could know that the service stops. */
const graceMs = 100;
/** One accepts a connection, one reads its request, and one is to spare. */
const eventLoopTurns = 3;

/**
 * Closing the server closes every connection on which no request was read yet, also if one has already arrived. The
 * service therefore first goes on for a moment; its responses say `Connection: close`.
 */
export function readLastRequests(app: FastifyInstance): void {
  app.addHook("preClose", async () => {
    if (!app.server.listening) return;
    await setTimeout(graceMs);
    // A thread that was busy all the time has read nothing since.
    for (let turn = 0; turn < eventLoopTurns; turn += 1) await setImmediate();
  });
}
