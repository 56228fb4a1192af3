import { randomUUID } from "node:crypto";
import { createServer, type Server, type ServerResponse } from "node:http";
import { createResponder, type MockedDocument, type Response } from "./create-responder.ts";
import { describeError, errorResponse } from "./mock-error.ts";

const corsHeaders = {
  "access-control-allow-origin": "*",
  "access-control-allow-methods": "GET, POST, DELETE",
  "access-control-allow-headers": "authorization, content-type, idempotency-key, prefer",
  "access-control-expose-headers": "retry-after, www-authenticate, x-request-id",
};

/** A server, not yet listening, that responds as the document's examples say, under the document's own base path. */
export async function createMock(document: MockedDocument): Promise<Server> {
  const respond = await createResponder(document);
  return createServer(async (request, response) => {
    if (request.method === "OPTIONS") {
      response.writeHead(204, corsHeaders).end();
      return;
    }
    // Not by `new URL`, which throws at some of what a client can send.
    const [path = "", query] = (request.url ?? "").split("?", 2);
    const received = await respond(request, path, new URLSearchParams(query)).catch((error: unknown) =>
      errorResponse(describeError(error), path),
    );
    send(response, received);
  });
}

function send(response: ServerResponse, { statusCode, headers, body }: Response): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = { "content-type": "application/json" };
  response.writeHead(statusCode, {
    ...corsHeaders,
    ...type,
    "x-request-id": requestIdOf(body),
    ...lowerCased(headers),
  });
  response.end(text);
}

/** The identifier that an error names, so that body and header agree, or else a new one. */
function requestIdOf(body: unknown): string {
  const isNamed = typeof body === "object" && body !== null && "requestId" in body;
  return isNamed && typeof body.requestId === "string" ? body.requestId : randomUUID();
}

function lowerCased(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), `${value}`]));
}
