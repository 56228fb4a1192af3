import { createHmac, randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { ApiError } from "@product-search/core/errors.ts";
import { splitList } from "@product-search/http-rules/requests/read-request.ts";
import type { Operation } from "@product-search/spec/operations";
import type { Preferences } from "../requests/read-preferences.ts";
import type { Response } from "../requests/response.ts";
import {
  createInstance,
  createLogger,
  getHttpOperationsFromSpec,
  type IHttpConfig,
  type IHttpRequest,
} from "./prism.ts";

/** The parts of the document that the mock looks at itself; Prism reads the rest. */
export interface MockedDocument {
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, object>;
  components: object;
}

export interface EngineRequest {
  operation: Operation;
  path: string;
  query: Record<string, unknown>;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export interface Engine {
  /** Throws what is wrong with a request, by the document. */
  validate(request: EngineRequest): Promise<void>;
  /** The documented response that is preferred, or else the successful one. */
  choose(request: EngineRequest, preferences: Preferences): Promise<Response>;
  /** The same for a mock without state, which sends a webhook one sample event when it is created. */
  chooseStateless(request: EngineRequest, preferences: Preferences): Promise<Response>;
}

type Result = Awaited<ReturnType<ReturnType<ReturnType<typeof createInstance>["request"]>>>;

/** Prism with the document: it validates requests and gives the documented responses. */
export async function createEngine(document: MockedDocument): Promise<Engine> {
  const sendSampleEvent = createSampleSender(document);
  const operations = await getHttpOperationsFromSpec(forPrism(document));
  const prism = createInstance(configured({ dynamic: false }), {
    logger: createLogger("mock", { level: "silent" }),
  });
  const ask = (request: EngineRequest, mock: IHttpConfig["mock"]): Promise<Result> =>
    prism.request(toPrism(request), operations, configured(mock))();

  const choose: Engine["choose"] = async (request, { delayMs: _, fault: __, ...preferences }) => {
    const result = await ask(request, preferences);
    if (result._tag === "Left") throw result.left;
    const { statusCode, headers = {}, body } = result.right.output;
    const lowerCased = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), `${value}`]);
    return { statusCode, headers: { ...Object.fromEntries(lowerCased), ...requestIdOf(body) }, body };
  };
  return {
    choose,
    async chooseStateless(request, preferences) {
      const response = await choose(request, preferences);
      sendSampleEvent(request.body, response.body);
      return response;
    },
    async validate(request) {
      const result = await ask(request, { dynamic: false });
      const fault = faultsOf(result)[0];
      if (fault === undefined) return;
      const field = fault.path?.join(".") ?? "request";
      throw new ApiError("invalid_request", `${field}: ${fault.message}.`);
    },
  };
}

/** The identifier that an error's example names: body and header agree. */
function requestIdOf(body: unknown): Record<string, string> {
  const { requestId } = Object(body);
  return typeof requestId === "string" ? { "x-request-id": requestId } : {};
}

interface PrismFault {
  path?: (string | number)[];
  message: string;
}

/** Prism lists what is wrong with a request beside its response, or in the error when there is none. */
function faultsOf(result: Result): PrismFault[] {
  if (result._tag === "Right")
    return result.right.validations.input.map(({ path, message }) => ({
      message,
      ...(path && { path: [...path] }),
    }));
  const { validation } = Object(result.left);
  const listed: unknown[] = Array.isArray(validation) ? validation : [];
  return listed.length === 0
    ? [{ message: result.left.message }]
    : listed.map((one) => ({ path: Object(one).location, message: String(Object(one).message) }));
}

/**
 * The document with what Prism does not do: it passes over `servers`, so the paths get the base path; and it would fire every
 * callback, of whichever type and unsigned, so they go. It does not know escaped commas, so it is given lists that are already
 * divided, which it takes of an exploded parameter only.
 */
function forPrism(document: MockedDocument): MockedDocument {
  const base = document.servers[0]?.url ?? "";
  const paths = Object.entries(document.paths).map(([path, item]) => [
    `${base}${path}`,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [
        method,
        { ...operation, callbacks: {}, parameters: exploded(operation.parameters ?? []) },
      ]),
    ),
  ]);
  return {
    ...document,
    servers: [],
    paths: Object.fromEntries(paths),
    components: boundGenerated(document.components),
  };
}

function exploded(parameters: readonly object[]): object[] {
  return parameters.map((parameter) =>
    "explode" in parameter ? { ...parameter, explode: true } : parameter,
  );
}

/** Of what `dynamic=true` generates: lists of variants with all the attributes that are allowed would be megabytes. */
const maxGenerated = 3;

/** Only schemas of responses have these, so requests are checked as documented. The searches of a batch are checked one by one by the service. */
function boundGenerated<Node>(node: Node): Node {
  if (Array.isArray(node) || typeof node !== "object" || node === null) return node;
  const bounded = Object.entries(node).map(([name, value]) => {
    if (name === "searches") return [name, { ...value, items: {} }];
    if (name === "variants") return [name, { ...value, maxItems: maxGenerated }];
    if (name === "ProductAttributes") {
      const values = { ...value.additionalProperties, maxItems: maxGenerated };
      return [name, { ...value, maxProperties: maxGenerated, additionalProperties: values }];
    }
    return [name, boundGenerated(value)];
  });
  return Object.fromEntries(bounded);
}

/** A new object for each request: Prism notes in it what the request accepts. */
function configured(mock: IHttpConfig["mock"]): IHttpConfig {
  return {
    isProxy: false,
    checkSecurity: false,
    validateRequest: true,
    validateResponse: false,
    errors: false,
    upstreamProxy: undefined,
    mock: { ...mock },
  };
}

function toPrism({ operation, path, query, headers, body }: EngineRequest): IHttpRequest {
  return {
    method: methodOf(operation.method),
    url: {
      path,
      query: Object.fromEntries(
        Object.entries(query).map(([name, value]) => {
          const text = textOf(value);
          const isList = operation.schemas.query.properties?.[name]?.type === "array";
          return [name, isList && typeof text === "string" ? splitList(text) : text];
        }),
      ),
    },
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(", ") : (value ?? ""),
      ]),
    ),
    body,
  };
}

function textOf(value: unknown): string | string[] {
  return Array.isArray(value) ? value.map(String) : String(value);
}

function methodOf(method: Operation["method"]): IHttpRequest["method"] {
  switch (method) {
    case "POST":
      return "post";
    case "PUT":
      return "put";
    case "DELETE":
      return "delete";
    default:
      return "get";
  }
}

/** Sends a webhook that was just created one sample event of its type, and says on standard error when that fails. */
function createSampleSender(document: { paths: Record<string, object> }) {
  const events = sampleEventsIn(document);
  return (requested: unknown, responded: unknown): void => {
    const url = textAt(requested, "webhookUrl");
    const event = events.get(textAt(requested, "webhookType") ?? "");
    const apiKey = textAt(responded, "data", "apiKey");
    if (url === undefined || event === undefined || apiKey === undefined) return;
    // A moment later, so that the partner knows the key before the event comes.
    setTimeout(async () => {
      const failure = await deliver(url, apiKey, event);
      if (failure !== undefined) console.error(`The sample event did not reach ${url}: ${failure}`);
    }, 250).unref();
  };
}

/** The events that the document shows with the creation of a webhook, by type. */
function sampleEventsIn(document: { paths: Record<string, object> }): Map<string, object> {
  const events = new Map<string, object>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    if ("example" in value && isEvent(value.example)) events.set(value.example.type, value.example);
    else Object.values(value).forEach(visit);
  };
  visit(document.paths["/webhooks"]);
  return events;
}

function isEvent(value: unknown): value is { type: string } {
  return typeof value === "object" && value !== null && "type" in value && "data" in value;
}

function textAt(value: unknown, ...keys: string[]): string | undefined {
  const found = keys.reduce<unknown>((inner, key) => new Map(Object.entries(inner ?? {})).get(key), value);
  return typeof found === "string" ? found : undefined;
}

/** Sends an event once, signed with the key as the Standard Webhooks specification says. Tells of a failure, if any. */
async function deliver(url: string, apiKey: string, event: object): Promise<string | undefined> {
  const id = `ev_${randomUUID()}`;
  const timestamp = Math.floor(Date.now() / 1000);
  const body = JSON.stringify(event);
  const key = Buffer.from(apiKey.replace(/^whsec_/, ""), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  const headers = {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": `${timestamp}`,
    "webhook-signature": `v1,${signature}`,
  };
  try {
    const signal = AbortSignal.timeout(15_000);
    const response = await fetch(url, { method: "POST", headers, body, redirect: "manual", signal });
    return response.ok ? undefined : `it responded with ${response.status}`;
  } catch (error) {
    return error instanceof Error ? `${error.message} ${error.cause ?? ""}`.trim() : `${error}`;
  }
}
