import type { FairQueue } from "@product-search/core/mechanisms/fair-queue.ts";
import type { TokenRecord } from "@product-search/core/ports/accounts.ts";
import { type TokenFilter, withTokenFilter } from "@product-search/features/catalog-search/token-filter.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { clientAddress, clientNetwork } from "./access/client-network.ts";

/**
 * Who shares the service with others, and pays for requests and the memory of bodies: a token, or a network without one. A
 * public token is in everybody's hands: each network that uses it is a caller of its own.
 */
export function callerOf(request: FastifyRequest): string {
  const { token } = request;
  if (token !== undefined && token.publicOrigins === undefined) return token.id;
  const network = clientNetwork(clientAddress(request));
  return token === undefined ? network : `${token.id} ${network}`;
}

/**
 * The handlers of all routes that are registered from now on wait for their turn, and see what the filter of their token keeps:
 * none can forget it.
 */
export function registerFairRoutes(
  app: FastifyInstance,
  queue: Pick<FairQueue, "run">,
  filterOf: (token: TokenRecord) => TokenFilter | undefined,
): void {
  app.addHook("onRoute", (route) => {
    // A route of HEAD that the framework adds has the handler of its GET, which waits already.
    if (route.method === "HEAD") return;
    const { handler } = route;
    route.handler = function (request, reply) {
      return queue.run(
        callerOf(request),
        () => signalOfLeaving(reply),
        async () =>
          withTokenFilter(request.token && filterOf(request.token), () => handler.call(this, request, reply)),
      );
    };
  });
}

/**
 * Fastify's own signal follows the request, which closes as soon as its body is read. This one follows the response. A client
 * may have left while its token and its body were read.
 */
export function signalOfLeaving({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  if (raw.destroyed || raw.socket?.destroyed === true) leaving.abort();
  raw.once("close", () => {
    if (!raw.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
