import type { AgentEndpoint } from "@product-search/agents/agent-endpoint.ts";
import { ucpProfile } from "@product-search/agents/ucp.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { readToken } from "@product-search/http-rules/access/bearer-token.ts";
import { usualMaxBodyBytes } from "@product-search/spec/operations";
import type { Service } from "../service/create-service.ts";
import { accountOf } from "../service/identifiers.ts";
import type { RateHeaders } from "./rate-headers.ts";
import { parseJson, readText } from "./read-body.ts";
import { anonymous, checkContent, type Incoming } from "./respond.ts";
import type { Response } from "./response.ts";

const operation = {
  method: "POST",
  maxBodyBytes: usualMaxBodyBytes,
  produces: ["application/json", "text/event-stream"],
} as const;

export interface AgentResponderDeps {
  service: Service | undefined;
  rateHeaders: RateHeaders;
}

/** The tools for assistants, and the profile by which they are found; undefined for any other path. */
export function createAgentResponder({
  service,
  rateHeaders,
}: AgentResponderDeps): (incoming: Incoming) => Promise<Response | undefined> {
  let endpoint: Promise<AgentEndpoint> | undefined;
  return async ({ request, path, requestId, signal }) => {
    if (path === "/.well-known/ucp" && service)
      return { statusCode: 200, headers: {}, body: ucpProfile(service.publicUrl) };
    if (path !== "/mcp") return undefined;
    if (request.method !== operation.method)
      throw new ApiError("method_not_allowed", "There are no sessions and no streams here. Use POST.", {
        headers: { allow: operation.method },
      });
    if (service === undefined)
      throw new ApiError(
        "not_found",
        "A mock without state has no tools for assistants. Start it without --stateless.",
      );
    const { authorization } = request.headers;
    const account = authorization === undefined ? anonymous : accountOf(readToken(authorization));
    checkContent(operation, request.headers);
    const message = parseJson(await readText(request, operation.maxBodyBytes));
    endpoint ??= loadEndpoint(service);
    const { respond } = await endpoint;
    await service.ready();
    const caller = account.id || (request.socket.remoteAddress ?? "");
    const { status, contentType, body } = await respond({
      headers: request.headers,
      message,
      account,
      caller,
      isPublic: false,
      requestId,
      signal,
    });
    const counted = rateHeaders(account === anonymous ? "trial" : "token", caller);
    return { statusCode: status, headers: { ...counted, "content-type": contentType }, body };
  };
}

/** On the first message: most mocks never load the protocol's code. */
async function loadEndpoint(service: Service): Promise<AgentEndpoint> {
  const { createAgentEndpoint } = await import("@product-search/agents/agent-endpoint.ts");
  return createAgentEndpoint({ ...service, onError: (error) => console.error(error) });
}
