import { ApiError } from "@product-search/core/errors.ts";
import { validationMessage } from "@product-search/http-rules/requests/read-request.ts";
import {
  bodyTooLarge,
  errorBody,
  isWebhookPath,
  toApiError,
} from "@product-search/http-rules/responses/response-body.ts";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { keepReading } from "../requests/request-bodies.ts";

/** Responds with an error: the status, the usual body and, if an operator should know, a line in the log. */
export type SendError = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => FastifyReply;

const logEveryMs = 1000;

export function createSendError(logger: FastifyBaseLogger): SendError {
  const logRefusal = createRefusalLog(logger);
  return (thrown, request, reply) => {
    const error = fromValidation(thrown) ?? fromLongBody(thrown, request) ?? toApiError(thrown);
    const operationId = request.routeOptions?.config?.operation?.operationId;
    const about = { requestId: request.id, operation: operationId, code: error.code };
    if (hasLeft(thrown, reply)) logger.debug(about, "the client left");
    else if (error.code === "internal_error") logger.error({ ...about, err: error }, "request failed");
    else if (error.status >= 500) logRefusal(about, error);
    const where = { isWebhookPath: isWebhookPath(request.url), operationId };
    if (error.code !== "request_timeout") keepReading(request, reply);
    // Sent as text: tests check error bodies against the spec, so that no serialiser can fail here again.
    return reply
      .code(error.status)
      .headers(error.headers)
      .type("application/json; charset=utf-8")
      .serializer((text: string) => text)
      .send(JSON.stringify(errorBody(error, where, request.id)));
  };
}

/** The work was aborted because nobody waits for it any more: not a fault of the service. */
function hasLeft(thrown: unknown, { raw }: FastifyReply): boolean {
  return raw.destroyed && thrown instanceof Error && thrown.name === "AbortError";
}

/**
 * An error because of overload or a marketplace needs no stack trace. Clients can cause any number of them, so at most one
 * line per second and code is logged, with the number of errors that were not.
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

/** The framework counts the bytes of a body that did not say how long it is. */
function fromLongBody(thrown: unknown, { routeOptions }: FastifyRequest): ApiError | undefined {
  const isLong = thrown instanceof Error && "code" in thrown && thrown.code === "FST_ERR_CTP_BODY_TOO_LARGE";
  return isLong ? bodyTooLarge(routeOptions.bodyLimit) : undefined;
}

/** Only for requests: a failed check of our own response also has `validation`, and is an internal error. */
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
