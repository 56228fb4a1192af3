import { request as httpRequest, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { type GeneratedRequest, isReference, type Reference } from "./generated-request.ts";

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** Parsed where it is JSON. */
  body: unknown;
}

/** One of the two that are compared, with the identifiers that it has given out so far. */
export interface Side {
  baseUrl: string;
  /** Its token for each of the two accounts. */
  tokens: Record<string, string>;
  /** Where its webhooks are delivered to. */
  target: string;
  seen: Record<Reference["kind"], string[]>;
}

export async function sendRequest(side: Side, generated: GeneratedRequest): Promise<Answer> {
  const { method, path, query, headers } = generated;
  const steps = path.map((step) => encodeURIComponent(resolve(side, step)));
  const parameters = query.map(([name, value]) => `${name}=${encodeURIComponent(resolve(side, value))}`);
  const url = `${side.baseUrl}/${steps.join("/")}${parameters.length > 0 ? `?${parameters.join("&")}` : ""}`;
  const content = bodyText(side, generated.body);
  const sent: Record<string, string> = {
    ...(content !== undefined && { "content-type": "application/json" }),
    ...headers,
    ...(content !== undefined && { "content-length": `${Buffer.byteLength(content)}` }),
  };
  if (sent.authorization !== undefined)
    sent.authorization = side.tokens[sent.authorization] ?? sent.authorization;
  const answer = await exchange(url, method, sent, content);
  remember(side, generated.operationId, answer.body);
  return answer;
}

/** With `node:http`: `fetch` changes what is sent. */
async function exchange(
  url: string,
  method: string,
  headers: Record<string, string>,
  content: string | undefined,
): Promise<Answer> {
  const response = await new Promise<IncomingMessage>((settle, reject) => {
    httpRequest(url, { method, headers }, settle).once("error", reject).end(content);
  });
  const received = await text(response);
  const fields = Object.entries(response.headers).map(([name, value]) => [name, `${value}`]);
  return { status: response.statusCode ?? 0, headers: Object.fromEntries(fields), body: parse(received) };
}

function bodyText(side: Side, body: unknown): string | undefined {
  if (body === undefined || typeof body === "string") return body;
  const replaced = JSON.stringify(body, (_, value) => (isReference(value) ? resolve(side, value) : value));
  return replaced.replaceAll("TARGET", side.target);
}

function resolve({ seen }: Side, value: string | Reference): string {
  if (typeof value === "string") return value;
  const known = seen[value.kind];
  return known[value.index % Math.max(1, known.length)] ?? "none-yet";
}

function parse(received: string): unknown {
  try {
    return JSON.parse(received);
  } catch {
    return received;
  }
}

function remember({ seen }: Side, operationId: string, body: unknown): void {
  const { data, slug, Products } = Object(body);
  const note = (kind: Reference["kind"], id: unknown) => {
    if (typeof id === "string" && !seen[kind].includes(id)) seen[kind].push(id);
  };
  if (operationId === "createWebhook") note("webhook", Object(data).id);
  if (operationId === "testWebhook" || operationId === "replayDelivery") note("delivery", Object(data).id);
  if (operationId === "vectorizeImage") note("image", slug);
  if (operationId === "searchTrial" || operationId === "searchCatalog")
    for (const product of Array.isArray(Products) ? Products : []) note("product", Object(product)._id);
}
