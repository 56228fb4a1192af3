import type { IncomingHttpHeaders } from "node:http";
import { Ajv, AjvJsonSchemaValidator, addFormats } from "@modelcontextprotocol/server/validators/ajv";
import { ApiError } from "@product-search/core/errors.ts";
import type { RequestContext } from "@product-search/features/handler.ts";
import {
  createMcpHandler,
  fromJsonSchema,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  isLegacyRequest,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "./protocol.ts";
import { maxIds } from "./tool-schemas.ts";
import { type AgentDeps, type Tool, tools } from "./tools.ts";
import type { AgentAddress } from "./ucp-versions.ts";

/** A request to the endpoint, and who sent it. */
export interface AgentCall
  extends Pick<RequestContext, "account" | "caller" | "isPublic" | "requestId" | "signal"> {
  address: AgentAddress;
  headers: IncomingHttpHeaders;
  message: unknown;
}

export interface AgentReply {
  status: number;
  contentType: string;
  body: string;
}

export interface AgentEndpointDeps extends Omit<AgentDeps, "ucpVersion"> {
  /** A tool failed for a reason that its caller must not see. */
  onError(error: unknown, requestId: string): void;
}

export interface AgentEndpoint {
  respond(call: AgentCall): Promise<AgentReply>;
}

/** The SDK's own validator collects every fault, which takes seconds for arguments with many. */
const firstFault = new Ajv({ strict: false, validateSchema: false });
addFormats(firstFault);
const validator = new AjvJsonSchemaValidator(firstFault);

/** Each is compiled when its tool is first called: that takes a few milliseconds. */
const checks = new Map<Tool, ReturnType<typeof compileCheck>>();
const compileCheck = ({ inputSchema }: Tool) => fromJsonSchema(inputSchema, validator)["~standard"];

const definitions = tools.map(({ name, title, description, inputSchema, outputSchema }) => ({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
}));

/** What the protocol reads of a request. */
const protocolHeaders = ["mcp-protocol-version", "mcp-method", "mcp-name"];

const serverInfo = { name: "product-search", title: "Product search", version: "1" };

const instructions =
  "Searches one catalog of products. search_catalog finds products, get_product has the details and the current price of one, lookup_catalog of several, and ask answers a question in sentences. Prices are in minor units of their currency. Name only prices that a tool has returned.";

/** A call of a tool: what it needs, and who called. */
interface Caller {
  deps: AgentDeps & AgentEndpointDeps;
  context: RequestContext;
}

/**
 * MCP over HTTP without sessions: each request has a server of its own, and any thread or node can respond to it. Both
 * generations of the protocol are served: that of 2025 with its handshake, and that of 2026 without. UCP's addresses of plain
 * HTTP call the same tools.
 */
export function createAgentEndpoint(deps: AgentEndpointDeps): AgentEndpoint {
  const callers = new WeakMap<Request, Caller>();
  const modern = createMcpHandler(
    ({ requestInfo }) => createServer(requestInfo && callers.get(requestInfo)),
    // Nothing here ever changes that a client could subscribe to.
    { legacy: "reject", maxSubscriptions: 0 },
  );
  return {
    async respond({ address, headers, message, ...sender }) {
      const context = contextOf(sender);
      const caller = { deps: { ...deps, ucpVersion: address.version }, context };
      if (address.tool !== undefined) return respondOverHttp(address.tool, message, caller);
      // One request is one call, for the limits too.
      if (Array.isArray(message))
        throw new ApiError("invalid_request", "body: is a batch. Send one message in each request.");
      const request = new Request("http://localhost/mcp", {
        method: "POST",
        // The transport refuses clients that accept JSON alone, although it sends them nothing else.
        headers: {
          ...protocolHeadersOf(headers),
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        signal: context.signal,
      });
      callers.set(request, caller);
      const isLegacy = await isLegacyRequest(request, message);
      const response = isLegacy
        ? await respondLegacy(createServer(caller), request, message)
        : await modern.fetch(request, { parsedBody: message });
      return {
        status: response.status,
        contentType: response.headers.get("content-type") ?? "application/json",
        body: await response.text(),
      };
    },
  };
}

/** UCP's binding to plain HTTP: the body is what MCP has in `catalog`, the reply what it has in `structuredContent`. */
async function respondOverHttp(
  name: NonNullable<AgentAddress["tool"]>,
  catalog: unknown,
  { deps, context }: Caller,
): Promise<AgentReply> {
  const tool = toolNamed(name);
  const input = { catalog };
  const faults = await findFaults(tool, input);
  if (faults !== undefined) {
    const { ids } = Object(catalog);
    const code = Array.isArray(ids) && ids.length > maxIds ? "request_too_large" : "invalid_request";
    const example = JSON.stringify(Object(tool.example).catalog);
    const content = `body: is not valid: ${faults}`.slice(0, 1000);
    const { requestId } = context;
    const message = `${content}. It looks so: ${example}`;
    return reply(400, { status: "error", code, content: message, message, requestId });
  }
  const { structuredContent } = await tool.run(deps, input, context);
  return reply(200, structuredContent);
}

const reply = (status: number, body: object): AgentReply => ({
  status,
  contentType: "application/json",
  body: JSON.stringify(body),
});

function contextOf(caller: Omit<AgentCall, "address" | "headers" | "message">): RequestContext {
  return {
    ...caller,
    // The tools search for assistants: their searches are not counted.
    client: undefined,
    // Agents send no events.
    address: "",
    accepts: "application/json",
    setHeader: () => {},
    countSearches: () => Promise.reject(new Error("Tools of agents search once.")),
    readSearch: () => {
      throw new Error("Tools of agents write their searches themselves.");
    },
    transact: () => Promise.reject(new Error("Tools of agents write nothing.")),
  };
}

function protocolHeadersOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    protocolHeaders.flatMap((name) => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}

async function respondLegacy(server: Server, request: Request, message: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
}

function createServer(caller: Caller | undefined): Server {
  const server = new Server(serverInfo, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler("tools/list", () => ({ tools: definitions }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = toolNamed(params.name);
    if (caller === undefined) throw new Error("A request without its caller.");
    const input = await readArguments(tool, params.arguments ?? {});
    const { structuredContent, text } = await run(tool, input, caller);
    return { content: [{ type: "text", text }], structuredContent: { ...structuredContent } };
  });
  return server;
}

function toolNamed(name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  if (tool !== undefined) return tool;
  const names = tools.map((one) => one.name).join(", ");
  throw new ProtocolError(INVALID_PARAMS, `There is no tool ${name.slice(0, 100)}. There are ${names}.`);
}

async function readArguments(tool: Tool, input: unknown): Promise<unknown> {
  const faults = await findFaults(tool, input);
  if (faults === undefined) return input;
  const message = `${tool.name}: the arguments are not valid: ${faults}`.slice(0, 1000);
  const example = JSON.stringify(tool.example);
  throw new ProtocolError(INVALID_PARAMS, `${message}. They look so: ${example}`, { example: tool.example });
}

async function findFaults(tool: Tool, input: unknown): Promise<string | undefined> {
  const check = checks.get(tool) ?? compileCheck(tool);
  checks.set(tool, check);
  const result = await check.validate(input);
  return result.issues?.map(({ message }) => message).join("; ");
}

/** UCP's code for what the transport refuses: too busy, too many requests. */
const unavailable = -32_000;

/** The protocol would send the message of any error to the client. */
async function run(tool: Tool, input: unknown, { deps, context }: Caller) {
  try {
    return await tool.run(deps, input, context);
  } catch (error) {
    const { requestId } = context;
    if (error instanceof ApiError && error.code !== "internal_error") {
      const code = error.status < 500 ? INVALID_PARAMS : unavailable;
      throw new ProtocolError(code, error.message, { code: error.code, requestId });
    }
    deps.onError(error, requestId);
    throw new ProtocolError(
      INTERNAL_ERROR,
      "Internal server error. Try again later. If it persists, report the requestId.",
      {
        code: "internal_error",
        requestId,
      },
    );
  }
}
