import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../errors.ts";
import type { Guard } from "./guard.ts";
import type { ConsolePage } from "./pages/console-pages.ts";
import type { SendError } from "./responses/send-error.ts";

export interface NotFoundDeps {
  guard: Guard;
  sendError: SendError;
  /** The console's page, once it is known whether there is one. */
  page(): ConsolePage | undefined;
}

/**
 * Answers paths that do not exist. A person is shown a page that leads on; a program is told in JSON. Registered after the
 * hook that responds preflight requests; a body is not waited for.
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
  // Of routes that find nothing behind their path, such as /images/*.
  app.setNotFoundHandler(notFound);
}

/** For a path that cannot be read no hook is called. */
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
