import type { Account } from "@product-search/core/ports/account-store.ts";
import type { Actor } from "@product-search/core/ports/audit-log.ts";
import type { Commit, RequestContext } from "@product-search/features/handler.ts";
import type { CommitAs } from "@product-search/http-rules/idempotency.ts";
import { negotiate } from "@product-search/http-rules/requests/accept.ts";
import type { Operation } from "@product-search/spec/operations";
import type { FastifyReply, FastifyRequest } from "fastify";
import { clientAddress } from "./access/client-network.ts";

const anonymous: Account = { id: "", name: "" };

/**
 * A class, because of its getters: the getters of an object literal are created for each literal, and V8 keeps them, and
 * with them the request, until the next full collection (decision 0058).
 */
export class FastifyContext implements RequestContext {
  readonly account: Account;
  readonly requestId: string;
  readonly #operation: Operation;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #commitAs: CommitAs;
  #signal: AbortSignal | undefined;

  constructor(operation: Operation, request: FastifyRequest, reply: FastifyReply, commitAs: CommitAs) {
    const { token } = request;
    this.account = token ? { id: token.accountId, name: token.accountName } : anonymous;
    this.requestId = request.id;
    this.#operation = operation;
    this.#request = request;
    this.#reply = reply;
    this.#commitAs = commitAs;
  }

  /** Created only if a handler uses it: most responses are ready before a client could disconnect. */
  get signal(): AbortSignal {
    this.#signal ??= signalOfLeaving(this.#reply);
    return this.#signal;
  }

  get caller(): string {
    const { token, ip } = this.#request;
    return token?.id ?? ip;
  }

  get accepts(): string {
    return negotiate(this.#request.headers.accept, this.#operation.produces) ?? "application/json";
  }

  readonly commit: Commit = (work, toBody) => this.#commitAs(this.#actor(), work, toBody);

  #actor(): Actor {
    const { token } = this.#request;
    if (!token) throw new Error("Nothing is written for a request without a token.");
    return {
      kind: "token",
      tokenId: token.id,
      accountId: token.accountId,
      address: clientAddress(this.#request),
    };
  }

  readonly setHeader = (name: string, value: string): void => void this.#reply.header(name, value);
}

/**
 * Fastify's own signal follows the request, which closes as soon as its body is read. This one follows the response. A client
 * may have left while its token and its body were read.
 */
function signalOfLeaving({ raw }: FastifyReply): AbortSignal {
  const leaving = new AbortController();
  if (raw.destroyed || raw.socket?.destroyed === true) leaving.abort();
  raw.once("close", () => {
    if (!raw.writableFinished) leaving.abort();
  });
  return leaving.signal;
}
