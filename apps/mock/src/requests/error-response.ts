import { type ApiError, ApiError as ServiceError } from "@product-search/core/errors.ts";
import { errorBody, isWebhookPath, toApiError } from "@product-search/http-rules/responses/response-body.ts";
import { ProblemJsonError } from "../engine/prism.ts";
import type { Response } from "./response.ts";

/** What the response to an error depends on besides the error. */
export interface ErrorContext {
  url: string;
  operationId: string | undefined;
  requestId: string;
}

/** The response to an error, in the service's envelopes. */
export function errorResponse(thrown: unknown, { url, operationId, requestId }: ErrorContext): Response {
  const error = describeError(thrown);
  const where = { isWebhookPath: isWebhookPath(url), operationId };
  return {
    statusCode: error.status,
    headers: { ...error.headers },
    body: errorBody(error, where, requestId),
  };
}

/** What Prism fails with is a preference that the document does not know: all else was checked before. */
function describeError(thrown: unknown): ApiError {
  if (!(thrown instanceof ProblemJsonError)) return toApiError(thrown);
  return new ServiceError("invalid_request", `Prefer: ${thrown.message}. ${thrown.detail}`, {
    cause: thrown,
  });
}
