import type { ErrorCode, operations, SearchError, statusOfCode, WebhookError } from "@product-search/types";

/** One answer of the service that is an error: its status, its code, and its body with exactly that code. */
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

/** The codes that no operation documents: they are given before one is reached. */
type EarlyCode = Exclude<ErrorCode, OperationFailure["code"]>;

type EarlyFailure = {
  [Code in EarlyCode]: Failure<(typeof statusOfCode)[Code], SearchError | WebhookError, Code>;
}[EarlyCode];

/** An error that the service itself answered with. Narrow it by `code`, or by `status`. */
export type ServiceFailure = (OperationFailure | EarlyFailure) & Answered;

/** An answer that is not the service's: a proxy's HTML page, nothing at all, broken JSON, or a code of a later version. */
export interface UnexpectedFailure extends Answered {
  readonly status: number;
  readonly code: "unexpected_response";
  /** What was answered: JSON if it was JSON, else the text. */
  readonly body: unknown;
}

interface Answered {
  /** The answer's `x-request-id`, to quote when you ask for help. */
  readonly requestId: string | undefined;
  /** The raw answer: its status and headers. Its body has been read and is in `body`. */
  readonly response: Response;
}

/** No answer came: the connection failed, or the time was up. */
export interface UnansweredFailure {
  readonly status: undefined;
  readonly code: "network_error" | "timeout";
  readonly body: undefined;
  readonly requestId: undefined;
  readonly response: undefined;
}

/** Everything that a call can fail with, short of being aborted by you. */
export type ProductSearchError = Error & (ServiceFailure | UnexpectedFailure | UnansweredFailure);

const brand = Symbol.for("@product-search/client.error");

/** Whether a caught value is an error of a call; narrow it further by `code` or `status`. */
export function isProductSearchError(error: unknown): error is ProductSearchError {
  return error instanceof Error && brand in error;
}

/** Makes the error that a failure is thrown as. */
export function failed<Details extends ServiceFailure | UnexpectedFailure | UnansweredFailure>(
  message: string,
  details: Details,
  cause?: unknown,
): Error & Details {
  const error = Object.assign(new Error(message, { cause }), details);
  // Neither is enumerable: an error in a log should not drag the whole response along.
  Object.defineProperty(error, brand, { value: true });
  Object.defineProperty(error, "response", { value: error.response, enumerable: false });
  error.name = "ProductSearchError";
  return error;
}
