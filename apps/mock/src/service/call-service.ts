import type { Account } from "@product-search/core/ports/account-store.ts";
import type { RequestContext } from "@product-search/features/handler.ts";
import { type CommitAs, respondOnce } from "@product-search/http-rules/idempotency.ts";
import { createResponseSerializer } from "@product-search/http-rules/responses/response-serializer.ts";
import type { Operation } from "@product-search/spec/operations";
import type { Input } from "../requests/read-input.ts";
import { isEventStream, type Response } from "../requests/response.ts";
import type { Service } from "./create-service.ts";

export interface ServiceCall {
  operation: Operation;
  input: Input;
  /** The path with its query, as it was sent. */
  url: string;
  account: Account;
  idempotencyKey: string | undefined;
  requestId: string;
  accepts: string;
  signal: AbortSignal;
}

type AnyHandler = (input: Input, context: RequestContext) => Promise<unknown>;

const actorAddress = "127.0.0.1";

/** Has the service's own handler respond, once for each `Idempotency-Key`. */
export async function callService(service: Service, call: ServiceCall): Promise<Response> {
  const { operation, input, url, account, idempotencyKey } = call;
  const { operationId, successStatus, idempotent } = operation;
  const headers: Record<string, string> = {};
  const handler = handlerOf(service, operationId);
  const work = (commitAs: CommitAs) => handler(input, contextOf(call, headers, commitAs));
  const body =
    idempotent && idempotencyKey !== undefined
      ? await respondOnce(
          service,
          { accountId: account.id, operation: operationId, key: idempotencyKey, path: url, body: input.body },
          successStatus,
          work,
        )
      : await work((actor, write) => service.unitOfWork.transact(actor, write));
  return { statusCode: successStatus, headers, body: serialised(operation, body) };
}

/** The spec that types the handlers has also validated what they are given. */
function handlerOf({ handlers }: Service, operationId: Operation["operationId"]): AnyHandler {
  return (handlers as Record<string, unknown>)[operationId] as AnyHandler;
}

function contextOf(
  { account, requestId, accepts, signal }: ServiceCall,
  headers: Record<string, string>,
  commitAs: CommitAs,
): RequestContext {
  const actor = { kind: "token", tokenId: account.id, accountId: account.id, address: actorAddress } as const;
  return {
    account,
    caller: account.id,
    requestId,
    signal,
    accepts,
    setHeader: (name, value) => {
      headers[name] = value;
    },
    commit: (work, toBody) => commitAs(actor, work, toBody),
  };
}

const serialisers = new Map<Operation, (body: unknown) => string>();

/** As the service: nothing that the document does not name. A stored response is text already. */
function serialised(operation: Operation, body: unknown): unknown {
  if (typeof body === "string" || isEventStream(body)) return body;
  const serialise = serialisers.get(operation) ?? createResponseSerializer(operation.schemas.response);
  serialisers.set(operation, serialise);
  return serialise(body);
}
