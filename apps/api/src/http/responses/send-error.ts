import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError, type ErrorCode } from "@product-search/core/errors.ts";
import { validationMessage } from "@product-search/http-rules/requests/read-request.ts";
import {
  bodyTooLarge,
  errorBody,
  isWebhookPath,
  toApiError,
} from "@product-search/http-rules/responses/response-body.ts";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import { keepReading } from "../requests/request-bodies.ts";

/** The error codes of Node that have a status of their own. */
const faults: Record<string, [code: ErrorCode, message: string]> = {
  HPE_HEADER_OVERFLOW: [
    "headers_too_large",
    "The headers are larger than 16 kB. Send fewer or shorter ones.",
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request did not arrive in time. Send it faster."],
};

/**
 * Handles requests that Node would respond to or drop before the framework sees them, with an empty body or none. They get
 * the usual error body and a request identifier.
 */
export function respondToBrokenRequests(server: Server, newRequestId: () => string): void {
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    const message = "Expect: only 100-continue is understood. Leave the header out.";
    const { status, head, body } = errorResponse(
      new ApiError("expectation_failed", message),
      newRequestId(),
      request.url,
    );
    response.writeHead(status, head).end(body);
  });
  // "100 Continue" is sent when the body is admitted, not before the request is checked.
  server.on("checkContinue", (request, response) => server.emit("request", request, response));
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    const message = "CONNECT is not served. See /docs for the paths.";
    writeAndEnd(socket, new ApiError("not_found", message), newRequestId());
  });
}

/** A request that is not HTTP, or is not complete in time. The response is written to its socket, which is then closed. */
export function refuseBrokenRequest(
  error: Error & { code?: string },
  socket: Duplex,
  requestId: string,
): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, message] = faults[error.code ?? ""] ?? [
    "invalid_request",
    "The request is not valid HTTP/1.1.",
  ];
  writeAndEnd(socket, new ApiError(code, message), requestId);
}

function writeAndEnd(socket: Duplex, error: ApiError, requestId: string): void {
  const { status, head, body } = errorResponse(error, requestId);
  const lines = Object.entries({ connection: "close", ...head }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`);
}

function errorResponse(error: ApiError, requestId: string, url = "") {
  const where = { isWebhookPath: isWebhookPath(url), operationId: undefined };
  const body = JSON.stringify(errorBody(error, where, requestId));
  const head = {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    "x-request-id": requestId,
  };
  return { status: error.status, head, body };
}

/** Requests that Node accepts although they can be read as two different messages (RFC 9112, 3.2 and 6.1). */
export function checkMessage({ raw, headers }: FastifyRequest): void {
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    throw new ApiError(
      "invalid_request",
      "Transfer-Encoding: only chunked is understood. Send the body as it is.",
    );
  }
  const hosts = countHosts(raw.rawHeaders);
  if (hosts === 1 || (hosts === 0 && raw.httpVersionMinor === 0)) return;
  throw new ApiError(
    "invalid_request",
    `Host: is ${hosts === 0 ? "missing" : "given more than once"}. Send it once.`,
  );
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count;
}

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
