import type { AgentEndpoint } from "@product-search/agents/agent-endpoint.ts";
import { agentAddresses } from "@product-search/agents/ucp-versions.ts";
import { ApiError } from "@product-search/core/errors.ts";
import { inTurn } from "@product-search/core/mechanisms/fair-queue.ts";
import type { Account } from "@product-search/core/ports/accounts.ts";
import { usualMaxBodyBytes } from "@product-search/spec/operations";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../config.ts";
import { countPages, type Guard } from "./access/guard.ts";
import { callerOf, signalOfLeaving } from "./spec-routes.ts";

/** The path for assistants. UCP's agents find theirs in a profile. */
export const agentPath = "/mcp";

declare module "fastify" {
  interface FastifyRequest {
    /** The label in metrics of a request that is not in the spec. */
    measuredAs: string | undefined;
  }
}

export interface AgentRoutesDeps {
  config: Pick<Config, "agentAccess" | "agentIssuer" | "publicUrl" | "corsOrigins">;
  guard: Guard;
  /** By path, what UCP's agents read first. */
  profiles: ReadonlyMap<string, object>;
  /** Called on the first request: most services load the protocol's code never. */
  load(): Promise<AgentEndpoint>;
}

const produces = ["application/json", "text/event-stream"];

/** The Model Context Protocol for assistants, and for UCP's agents also plain HTTP, with the profiles by which they find both. */
export function registerAgentRoutes(
  app: FastifyInstance,
  { config, guard, profiles, load }: AgentRoutesDeps,
): void {
  app.decorateRequest("measuredAs", undefined);
  if (config.agentAccess === "off") return;
  for (const [path, profile] of profiles) registerDocument(app, path, profile, guard);
  if (config.agentIssuer !== undefined) registerResourceMetadata(app, config, guard);

  const checkPlace = createPlaceCheck(config);
  let endpoint: Promise<AgentEndpoint> | undefined;
  for (const [path, address] of agentAddresses)
    app.post(path, {
      bodyLimit: usualMaxBodyBytes,
      onRequest: async (request, reply) => {
        request.measuredAs = address.tool === undefined ? "mcp" : "ucp";
        const isAnonymous = config.agentAccess === "public" && request.headers.authorization === undefined;
        try {
          await guard.admit({ produces, ...(!isAnonymous && { scope: "search" }) }, request, reply);
        } catch (error) {
          throw config.agentIssuer === undefined
            ? error
            : withResourceMetadata(error, config, address.tool === undefined ? agentPath : "");
        }
        checkPlace(request);
        checkOrigin(request, config);
      },
      handler: async (request, reply) => {
        endpoint ??= load();
        // Many may wait for it to be loaded.
        const { respond } = await inTurn(await endpoint);
        const { status, contentType, body } = await respond({
          address,
          headers: request.headers,
          message: request.body,
          ...contextOf(request, reply),
        });
        return reply
          .code(status)
          .type(contentType)
          .serializer((text: string) => text)
          .send(body);
      },
    });
}

/** By RFC 9728, where assistants read which authorization server gives tokens for the endpoint. */
function registerResourceMetadata(
  app: FastifyInstance,
  { publicUrl, agentIssuer }: AgentRoutesDeps["config"],
  guard: Guard,
): void {
  for (const path of ["", agentPath])
    registerDocument(
      app,
      `${metadataPath}${path}`,
      {
        resource: `${publicUrl}${path}`,
        authorization_servers: [agentIssuer],
        scopes_supported: ["search"],
        bearer_methods_supported: ["header"],
        resource_name: "Product search",
      },
      guard,
    );
}

/** A document that pages of anybody may read. */
function registerDocument(app: FastifyInstance, path: string, document: object, guard: Guard): void {
  app.get(path, { onRequest: countPages(guard) }, async (_request, reply) =>
    reply
      .type("application/json; charset=utf-8")
      .header("access-control-allow-origin", "*")
      .header("cache-control", "public, max-age=300")
      .send(JSON.stringify(document)),
  );
}

const metadataPath = "/.well-known/oauth-protected-resource";

/** Adds to a challenge where the metadata is. */
function withResourceMetadata(
  error: unknown,
  { publicUrl }: AgentRoutesDeps["config"],
  path: string,
): unknown {
  const challenge = error instanceof ApiError ? error.headers["www-authenticate"] : undefined;
  if (!(error instanceof ApiError) || challenge === undefined) return error;
  const scope = challenge.includes('scope="') ? "" : ', scope="search"';
  error.headers["www-authenticate"] =
    `${challenge}${scope}, resource_metadata="${publicUrl}${metadataPath}${path}"`;
  return error;
}

/** The error of a request that no route takes, if it is for the endpoint with another method. */
export function wrongAgentMethod(path: string, { agentAccess }: Pick<Config, "agentAccess">) {
  if (!agentAddresses.has(path) || agentAccess === "off") return undefined;
  return new ApiError("method_not_allowed", "There are no sessions and no streams here. Use POST.", {
    headers: { allow: "POST" },
  });
}

/**
 * A page of anybody could have a browser ask this service under another name (DNS rebinding), so the name must be that
 * of PUBLIC_URL. This machine has three names for itself.
 */
function createPlaceCheck({ publicUrl }: Pick<Config, "publicUrl">): (request: FastifyRequest) => void {
  const { host, hostname, port } = new URL(publicUrl);
  const loopback = ["localhost", "127.0.0.1", "[::1]"];
  const suffix = port === "" ? "" : `:${port}`;
  const hosts = new Set(loopback.includes(hostname) ? loopback.map((name) => name + suffix) : [host]);
  return (request) => {
    const { host: requested } = request;
    if (hosts.has(requested.toLowerCase())) return;
    throw new ApiError(
      "forbidden",
      `Host: ${requested} is not this service. Use ${publicUrl}${agentPath}, or have the operator set PUBLIC_URL and TRUST_PROXY.`,
    );
  };
}

/** The guard has checked the origins of public tokens already. */
function checkOrigin(
  { headers: { origin }, token }: FastifyRequest,
  { publicUrl, corsOrigins }: Pick<Config, "publicUrl" | "corsOrigins">,
): void {
  if (origin === undefined || token?.publicOrigins !== undefined) return;
  if (origin === new URL(publicUrl).origin || corsOrigins.includes("*") || corsOrigins.includes(origin))
    return;
  throw new ApiError(
    "forbidden",
    `Origin: pages of ${origin} may not call this service. Ask the operator to list it in CORS_ORIGINS.`,
  );
}

const anonymous: Account = { id: "", name: "" };

function contextOf(request: FastifyRequest, reply: FastifyReply) {
  const { token, id } = request;
  return {
    account: token ? { id: token.accountId, name: token.accountName } : anonymous,
    caller: callerOf(request),
    isPublic: token?.publicOrigins !== undefined,
    requestId: id,
    signal: signalOfLeaving(reply),
  };
}
