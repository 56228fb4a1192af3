import type { Account } from "@product-search/core/ports/accounts.ts";
import type { TransactionStores } from "@product-search/core/ports/unit-of-work.ts";
import type { SearchCatalogOperation } from "@product-search/types";

/**
 * Does the work in one transaction, in the name of the request's token. The same transaction stores the response that
 * `toBody` makes of the result, for repetitions of a request with an `Idempotency-Key`.
 */
export type TransactAndRespond = <Result>(
  work: (stores: TransactionStores) => Promise<Result>,
  toBody: (result: Result) => unknown,
) => Promise<Result>;

/** The parts of the request that handlers may use, besides the validated input. */
export interface RequestContext {
  /** The account of the token; for the trial search, which takes no token, an account without a name. */
  account: Account;
  /** Who shares the service with others: the id of the token, or the address of a client without one. */
  caller: string;
  /** Who types, to see that a text is continued: the caller and its address. Absent for searches that are not counted. */
  client: string | undefined;
  /** The network address of the client, as limits see it. */
  address: string;
  /** Whether the token is public: anybody can read it in a page. */
  isPublic: boolean;
  requestId: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** The media type that the client prefers among those that the operation produces. */
  accepts: string;
  setHeader(name: string, value: string): void;
  /** Counts searches that this request makes beyond the first, all or none. Throws if fewer are left. */
  countSearches(searches: number): void | Promise<void>;
  /** Checks the parameters of a catalog search that come from a body. Throws if they break the spec. */
  readSearch(parameters: unknown): OperationInput<SearchCatalogOperation>["query"];
  transact: TransactAndRespond;
}

/** A body of `text/event-stream`: named events, one after the other. */
export type EventStream = AsyncIterable<{ event: string; data: unknown }>;

type JsonOf<Response> = Response extends { content: { "application/json": infer Body } } ? Body : never;

/** The body of the operation's successful response. */
export type SuccessBody<Operation> = Operation extends { responses: infer Responses }
  ? JsonOf<
      Responses extends { 200: infer Ok }
        ? Ok
        : Responses extends { 201: infer Created }
          ? Created
          : Responses extends { 202: infer Accepted }
            ? Accepted
            : never
    >
  : never;

type PartOf<Operation, Part extends string> = Operation extends { parameters: infer Parameters }
  ? Part extends keyof Parameters
    ? [Exclude<Parameters[Part], undefined>] extends [never]
      ? Record<never, never>
      : Exclude<Parameters[Part], undefined>
    : Record<never, never>
  : never;

type BodyOf<Operation> = Operation extends { requestBody?: { content: { "application/json": infer Body } } }
  ? Body
  : undefined;

export interface OperationInput<Operation> {
  path: PartOf<Operation, "path">;
  query: PartOf<Operation, "query">;
  body: BodyOf<Operation>;
}

type StreamOf<Operation> = Operation extends {
  responses: { 200: { content: { "text/event-stream": unknown } } };
}
  ? EventStream
  : never;

export type Handler<Operation> = (
  input: OperationInput<Operation>,
  context: RequestContext,
) => Promise<SuccessBody<Operation> | StreamOf<Operation>>;

/** One handler for each operation of the spec: a missing one is a compile error. */
export type Handlers<Operations> = { [Id in keyof Operations]: Handler<Operations[Id]> };
