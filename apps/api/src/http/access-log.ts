import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { clientAddress } from "./access/client-network.ts";

/** Called when a request begins; writes its line when it ends. */
export type AccessLog = (request: FastifyRequest, reply: FastifyReply) => void;

/** With `sampled`, of requests without an error. */
export const sampledOneIn = 100;

export interface AccessLogSettings extends Pick<Config, "logRequests"> {
  logger: FastifyBaseLogger;
  /** From 0 to 1. */
  random?: () => number;
}

/**
 * Undefined when no request is to be logged. Lines have no path, query, header or body, which may contain secrets: the route
 * says as much of the path as is the service's own.
 */
export function createAccessLog({
  logRequests,
  logger,
  random = Math.random,
}: AccessLogSettings): AccessLog | undefined {
  if (logRequests === "none") return undefined;
  const isWanted = (isError: boolean) => {
    if (isError || logRequests === "all") return true;
    return logRequests === "sampled" && random() < 1 / sampledOneIn;
  };
  const write = (request: FastifyRequest, reply: FastifyReply, isComplete: boolean) => {
    const { statusCode: status } = reply;
    const isError = status >= 400 || !isComplete;
    if (!isWanted(isError)) return;
    const { token } = request;
    logger.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.routeOptions.url,
        operation: request.operation?.operationId,
        status,
        // The client left before it had the response.
        ...(!isComplete && { aborted: true }),
        ms: Math.round(reply.elapsedTime * 10) / 10,
        bytes: numberOf(reply.getHeader("content-length")),
        address: clientAddress(request),
        account: token?.accountId,
        token: token?.id,
        ...(logRequests === "sampled" && { oneIn: isError ? 1 : sampledOneIn }),
      },
      "request",
    );
  };
  return (request, reply) => {
    let isComplete = false;
    reply.raw.once("finish", () => {
      isComplete = true;
      write(request, reply, true);
    });
    reply.raw.once("close", () => {
      if (!isComplete) write(request, reply, false);
    });
  };
}

function numberOf(value: number | string | string[] | undefined): number | undefined {
  const number = Number(value);
  return Number.isNaN(number) ? undefined : number;
}
