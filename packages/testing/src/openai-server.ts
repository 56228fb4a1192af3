import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";

/** How the fake model responds to one call. */
export type Behaviour =
  | { content: string; chunkSize?: number; pauseMs?: number; finishReason?: string }
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Sends half of the content, then closes the connection. */
  | { cutOff: string }
  | { toolCall: string }
  | { hang: true };

export interface ChatCall {
  stream: boolean;
  /** The rules that the model received. */
  system: string;
  user: string;
  authorization: string | undefined;
  maxTokens: number | undefined;
}

export interface OpenAiServer {
  baseUrl: string;
  calls: ChatCall[];
  /** Calls that have neither ended nor been aborted. */
  pending(): number;
  close(): Promise<void>;
}

/** A local server for the chat part of the OpenAI protocol. */
export async function startOpenAiServer(answer: (call: ChatCall) => Behaviour): Promise<OpenAiServer> {
  const calls: ChatCall[] = [];
  let pending = 0;
  const server = createServer(async (request, response) => {
    pending += 1;
    response.on("close", () => {
      pending -= 1;
    });
    const call = await readCall(request);
    calls.push(call);
    await behave(answer(call), call, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const { port } = address;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    calls,
    pending: () => pending,
    close: () => close(server),
  };
}

/** A complete answer with these sentences. */
export function sentences(...elements: string[]): Behaviour {
  return { content: JSON.stringify({ elements }) };
}

async function readCall(request: IncomingMessage): Promise<ChatCall> {
  const body = Object(await json(request));
  const messages: { role: string; content: string }[] = body.messages ?? [];
  const textOf = (role: string): string =>
    messages
      .filter((message) => message.role === role)
      .map(({ content }) => content)
      .join("\n");
  return {
    stream: body.stream === true,
    system: textOf("system"),
    user: textOf("user"),
    authorization: request.headers.authorization,
    maxTokens: body.max_tokens,
  };
}

async function behave(behaviour: Behaviour, call: ChatCall, response: ServerResponse): Promise<void> {
  if ("hang" in behaviour) return;
  if ("status" in behaviour) {
    response.writeHead(behaviour.status, { "content-type": "application/json", ...behaviour.headers });
    response.end(behaviour.body ?? JSON.stringify({ error: { message: "no", type: "error" } }));
    return;
  }
  if (!call.stream) return sendWhole(behaviour, response);
  response.writeHead(200, { "content-type": "text/event-stream" });
  if ("toolCall" in behaviour) {
    const toolCall = {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: behaviour.toolCall, arguments: "{}" },
    };
    sendChunk(response, { role: "assistant", tool_calls: [toolCall] });
    return endStream(response, "tool_calls");
  }
  if ("cutOff" in behaviour) {
    sendChunk(response, { role: "assistant", content: behaviour.cutOff });
    await pause(20);
    response.destroy();
    return;
  }
  const { content, chunkSize = 17, pauseMs = 0, finishReason = "stop" } = behaviour;
  for (let start = 0; start < content.length; start += chunkSize) {
    sendChunk(response, { content: content.slice(start, start + chunkSize) });
    if (pauseMs > 0) await pause(pauseMs);
  }
  endStream(response, finishReason);
}

const head = { id: "chatcmpl-1", created: 1, model: "stand-in" };

function sendWhole(
  behaviour: Exclude<Behaviour, { hang: true } | { status: number }>,
  response: ServerResponse,
): void {
  if ("cutOff" in behaviour) {
    response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
    response.write(behaviour.cutOff);
    response.destroy();
    return;
  }
  const toolCalls =
    "toolCall" in behaviour
      ? {
          tool_calls: [
            { id: "call_1", type: "function", function: { name: behaviour.toolCall, arguments: "{}" } },
          ],
        }
      : {};
  const content = "content" in behaviour ? behaviour.content : null;
  const finish =
    "toolCall" in behaviour
      ? "tool_calls"
      : ((behaviour as { finishReason?: string }).finishReason ?? "stop");
  const choice = { index: 0, finish_reason: finish, message: { role: "assistant", content, ...toolCalls } };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...head, object: "chat.completion", choices: [choice] }));
}

function sendChunk(response: ServerResponse, delta: object): void {
  const chunk = {
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: null }],
  };
  response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

function endStream(response: ServerResponse, reason: string): void {
  const chunk = {
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: {}, finish_reason: reason }],
  };
  response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
