import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../../errors.ts";
import { keepReading } from "../requests/unread-bodies.ts";
import { validationMessage } from "../requests/validation-message.ts";
import { errorBody, isWebhookPath, toApiError } from "./error-body.ts";

/** Responds with an error: the status, the usual body and, where an operator should know, a line in the log. */
export type SendError = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

const logEveryMs = 1000;

export function createSendError(logger: FastifyBaseLogger): SendError {
  const logRefusal = createRefusalLog(logger);
  return (thrown, request, reply) => {
    const error = fromValidation(thrown) ?? toApiError(thrown);
    const operationId = request.routeOptions?.config?.operation?.operationId;
    const about = { requestId: request.id, operation: operationId, code: error.code };
    if (error.code === "internal_error") logger.error({ ...about, err: error }, "request failed");
    else if (error.status >= 500) logRefusal(about, error);
    const where = { isWebhookPath: isWebhookPath(request.url), operationId };
    if (error.code !== "request_timeout") keepReading(request, reply);
    // Sent as text: what the spec says of error bodies is held by tests, not by a serialiser that may fail in turn.
    return reply
      .code(error.status)
      .headers(error.headers)
      .type("application/json; charset=utf-8")
      .serializer((text: string) => text)
      .send(JSON.stringify(errorBody(error, where, request.id)));
  };
}

/**
 * A refusal for want of room or of a marketplace is no fault of the code: its place in it says nothing. Clients can cause
 * as many as they like, so there is one line in a second for each code, which tells how many went unlogged before it.
 */
function createRefusalLog(logger: FastifyBaseLogger): (about: { code: string }, error: ApiError) => void {
  const seen = new Map<string, { untilMs: number; unlogged: number }>();
  return (about, { message }) => {
    const now = performance.now();
    const last = seen.get(about.code);
    if (last && now < last.untilMs) {
      last.unlogged += 1;
      return;
    }
    logger.warn({ ...about, reason: message, unlogged: last?.unlogged ?? 0 }, "request refused");
    seen.set(about.code, { untilMs: now + logEveryMs, unlogged: 0 });
  };
}

/** Of requests only: a failed check of our own response carries `validation` too, and is our fault. */
function fromValidation(thrown: unknown): ApiError | undefined {
  if (!(thrown instanceof Error) || !("code" in thrown) || thrown.code !== "FST_ERR_VALIDATION")
    return undefined;
  const { validation, validationContext } = Object(thrown);
  const part =
    validationContext === "querystring"
      ? "query"
      : validationContext === "params"
        ? "path"
        : validationContext;
  return new ApiError("invalid_request", validationMessage(validation, part), { cause: thrown });
}
