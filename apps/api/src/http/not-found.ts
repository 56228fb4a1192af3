import { ApiError } from "@product-search/core/errors.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Guard } from "./guard.ts";
import type { ConsolePage } from "./pages/console-pages.ts";
import type { SendError } from "./responses/send-error.ts";

export interface NotFoundDeps {
  guard: Guard;
  sendError: SendError;
  /** The console's page, if the console has been built. */
  page(): ConsolePage | undefined;
}

/**
 * Responds to unknown paths: browsers get a page with links, programs get JSON. Registered after the hook that responds to
 * preflight requests. It does not wait for a body.
 */
export function registerNotFound(app: FastifyInstance, { guard, sendError, page }: NotFoundDeps): void {
  const notFound = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const shown = request.method === "GET" && wantsPage(request) ? page() : undefined;
    if (shown) return shown.send(request, reply.code(404));
    const path = request.url.split("?")[0];
    const error = new ApiError("not_found", `${path} does not exist. See /docs for the paths.`);
    return sendError(error, request, reply);
  };
  app.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) return done();
    const counted = guard.countAddress(request, reply);
    if (counted === undefined) void notFound(request, reply);
    else counted.then(() => notFound(request, reply), done);
  });
  // For routes that find nothing, such as /images/*.
  app.setNotFoundHandler(notFound);
}

/** Fastify calls no hook for a malformed path. */
export function refuseUnreadablePath(
  { guard, sendError }: Pick<NotFoundDeps, "guard" | "sendError">,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header("x-request-id", request.id);
  const send = (thrown: unknown) => sendError(thrown, request, reply);
  try {
    const counted = guard.countAddress(request, reply);
    if (counted === undefined) send(error);
    else counted.then(() => send(error), send);
  } catch (limited) {
    send(limited);
  }
}

function wantsPage({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith("/api/") && String(headers.accept ?? "").includes("text/html");
}
