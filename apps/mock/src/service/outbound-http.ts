import {
  OutboundError,
  type OutboundHttp,
  type OutboundRequest,
  type OutboundResponse,
} from "@product-search/core/ports/outbound-http.ts";

/** Sends webhooks to any address, this machine and plain http included: nobody reaches a mock but its user. */
export function createOutboundHttp(): OutboundHttp {
  return {
    async send(request, signal) {
      const timeout = AbortSignal.timeout(request.timeoutMs);
      try {
        const response = await fetch(request.url, {
          method: request.method ?? "GET",
          headers: { ...request.headers },
          redirect: "manual",
          signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
          ...(request.body !== undefined && { body: request.body }),
        });
        return toOutboundResponse(response);
      } catch (error) {
        throw toOutboundError(error, request, { timeout, signal });
      }
    },
    async checkTarget(url) {
      const { protocol, username, password } = new URL(url);
      if (protocol !== "http:" && protocol !== "https:")
        throw new OutboundError(
          "forbidden_target",
          `${protocol}//: only https is allowed, and http in the mock.`,
        );
      if (username !== "" || password !== "")
        throw new OutboundError("forbidden_target", "the URL has credentials. Remove them.");
    },
    close: async () => {},
  };
}

/** The first attempts at each delivery find a target that responds with 503. */
export function failFirst(http: OutboundHttp, failures: number): OutboundHttp {
  const failed = new Map<string, number>();
  return {
    ...http,
    async send(request, signal) {
      const delivery = `${request.headers?.["webhook-id"]} ${request.url}`;
      const count = failed.get(delivery) ?? 0;
      if (count >= failures) return http.send(request, signal);
      failed.set(delivery, count + 1);
      return toOutboundResponse(new Response("--fail-deliveries", { status: 503 }), request.url);
    },
  };
}

function toOutboundResponse(response: Response, url = response.url): OutboundResponse {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    url,
    body: response.body ?? emptyBody(),
    bytes: async () => new Uint8Array(await response.arrayBuffer()),
    discard: () => {
      if (response.body?.locked === false) response.body.cancel().catch(() => {});
    },
  };
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

function toOutboundError(
  error: unknown,
  { url, timeoutMs }: OutboundRequest,
  { timeout, signal }: { timeout: AbortSignal; signal: AbortSignal | undefined },
): OutboundError {
  const { host } = new URL(url);
  const options = { cause: error };
  if (signal?.aborted) return new OutboundError("aborted", `${host}: given up.`, options);
  if (timeout.aborted)
    return new OutboundError("timeout", `${host} did not respond within ${timeoutMs / 1000} s.`, options);
  const { cause } = Object(error);
  const reason = cause instanceof Error ? (Object(cause).code ?? cause.message) : String(error);
  return new OutboundError("connection", `${host} cannot be reached: ${reason}.`, options);
}
