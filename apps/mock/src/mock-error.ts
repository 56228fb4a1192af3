import { randomUUID } from "node:crypto";
import { ProblemJsonError } from "@stoplight/prism-http";

/** An error that the mock responds with itself, in the service's envelopes. */
export class MockError extends Error {
  override readonly name = "MockError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What went wrong, be it told by the mock or by Prism. */
export function describeError(error: unknown): { status: number; message: string } {
  if (error instanceof MockError) return error;
  if (!(error instanceof ProblemJsonError)) return { status: 500, message: `The mock failed: ${error}` };
  const message = `${error.message}. ${error.detail}`;
  // Prism looked for a status or an example that the request preferred.
  if (error.name.endsWith("#NOT_FOUND")) return { status: 400, message: `Prefer: ${message}` };
  return { status: error.status === 422 ? 400 : error.status, message };
}

const codes: Record<number, string> = {
  400: "invalid_request",
  401: "unauthorized",
  404: "not_found",
  405: "method_not_allowed",
  406: "not_acceptable",
  413: "payload_too_large",
  415: "unsupported_media_type",
};

/** The response to an error: everything under /webhooks has an envelope of its own. */
export function errorResponse({ status, message }: { status: number; message: string }, path: string) {
  const known = status in codes ? status : 500;
  const rest = { code: codes[known] ?? "internal_error", requestId: randomUUID() };
  const body = /^\/api\/v\d+\/webhooks(\/|$)/.test(path)
    ? {
        success: false,
        message: known === 400 ? "Validation error" : "The mock refuses",
        error: message,
        ...rest,
      }
    : { status: "error", message, ...rest };
  return { statusCode: known, body };
}
