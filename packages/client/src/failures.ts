import type {
  ErrorCode,
  operations,
  SearchError,
  statusOfCode,
  UpsertProductsResponse,
  WebhookError,
} from "@product-search/types";

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
export type ServiceFailure = (OperationFailure | EarlyFailure) & WithResponse & AfterWrites;

/** A response that is not from the service, such as the HTML page of a proxy, or that has an invalid body or an unknown code. */
export interface UnexpectedFailure extends WithResponse, AfterWrites {
  readonly status: number;
  readonly code: "unexpected_response";
  /** The body: parsed if it is JSON, otherwise the text. */
  readonly body: unknown;
}

interface WithResponse {
  /** The `x-request-id` of the response. Include it when you ask for help. */
  readonly requestId: string | undefined;
  /** After how many seconds the service wants the next request, by its `Retry-After`. */
  readonly retryAfter: number | undefined;
  /** The raw response, for status and headers. Its body has been read and is in `body`. */
  readonly response: Response;
}

/** There was no response: the connection failed or the time limit was reached. */
export interface NoResponseFailure extends AfterWrites {
  readonly status: undefined;
  readonly code: "network_error" | "timeout";
  readonly body: undefined;
  readonly requestId: undefined;
  readonly retryAfter: undefined;
  readonly response: undefined;
}

/** What `upsertProducts` wrote with its earlier requests. */
export interface WrittenProducts extends UpsertProductsResponse {
  /** How many rows these requests had: the failed one begins after them. */
  rows: number;
}

interface AfterWrites {
  /** Only of `upsertProducts`: what was written before the request that failed. Of that request it is not known. */
  written?: WrittenProducts;
}

/** All errors of a call, except when you abort it. */
export type ProductSearchError = Error & (ServiceFailure | UnexpectedFailure | NoResponseFailure);

/** The details of a call that got no response. */
export function noResponse(code: NoResponseFailure["code"]): NoResponseFailure {
  return {
    code,
    status: undefined,
    body: undefined,
    requestId: undefined,
    retryAfter: undefined,
    response: undefined,
  };
}

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
