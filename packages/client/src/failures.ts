import type { ErrorCode, operations, SearchError, statusOfCode, WebhookError } from "@product-search/types";

/** One error response of the service: its status, its code, and its body with that code. */
type Failure<Status, Body extends { code: string }, Code = Body["code"]> = Code extends string
  ? { readonly status: Status; readonly code: Code; readonly body: Body & { code: Code } }
  : never;

type FailuresOf<Responses> = {
  [Status in keyof Responses]: Responses[Status] extends {
    content: { "application/json": infer Body extends { code: string } };
  }
    ? Failure<Status, Body>
    : never;
}[keyof Responses];

type OperationFailure = {
  [Id in keyof operations]: FailuresOf<operations[Id]["responses"]>;
}[keyof operations];

/** Codes that no operation documents, because they are returned before an operation is reached. */
type EarlyCode = Exclude<ErrorCode, OperationFailure["code"]>;

type EarlyFailure = {
  [Code in EarlyCode]: Failure<(typeof statusOfCode)[Code], SearchError | WebhookError, Code>;
}[EarlyCode];

/** An error response of the service. Narrow it by `code` or `status`. */
export type ServiceFailure = (OperationFailure | EarlyFailure) & WithResponse;

/** A response that is not from the service, such as the HTML page of a proxy, or that has an invalid body or an unknown code. */
export interface UnexpectedFailure extends WithResponse {
  readonly status: number;
  readonly code: "unexpected_response";
  /** The body: parsed if it is JSON, otherwise the text. */
  readonly body: unknown;
}

interface WithResponse {
  /** The `x-request-id` of the response. Include it when you ask for help. */
  readonly requestId: string | undefined;
  /** The raw response, for status and headers. Its body has been read and is in `body`. */
  readonly response: Response;
}

/** There was no response: the connection failed or the time limit was reached. */
export interface NoResponseFailure {
  readonly status: undefined;
  readonly code: "network_error" | "timeout";
  readonly body: undefined;
  readonly requestId: undefined;
  readonly response: undefined;
}

/** All errors of a call, except when you abort it. */
export type ProductSearchError = Error & (ServiceFailure | UnexpectedFailure | NoResponseFailure);

const brand = Symbol.for("@product-search/client.error");

/** Whether a caught value is an error of a call. Narrow it by `code` or `status`. */
export function isProductSearchError(error: unknown): error is ProductSearchError {
  return error instanceof Error && brand in error;
}

/** Creates the error to throw for a failure. */
export function failed<Details extends ServiceFailure | UnexpectedFailure | NoResponseFailure>(
  message: string,
  details: Details,
  cause?: unknown,
): Error & Details {
  const error = Object.assign(new Error(message, { cause }), details);
  // Not enumerable: an error that is logged or not caught shows its message, code, status and requestId, not the whole response.
  const hidden = { enumerable: false };
  Object.defineProperties(error, {
    [brand]: { value: true },
    response: hidden,
    body: hidden,
    name: { value: "ProductSearchError" },
  });
  return error;
}
