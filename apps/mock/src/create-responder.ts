import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { createLogger } from "@stoplight/prism-core";
import {
  createInstance,
  getHttpOperationsFromSpec,
  type IHttpConfig,
  type IHttpRequest,
} from "@stoplight/prism-http";
import { MockError } from "./mock-error.ts";
import { readBody } from "./read-body.ts";
import { type Preferences, readPreferences } from "./read-preferences.ts";
import { refuseUnknownParameters } from "./refuse-unknown-parameters.ts";
import { createSampleSender } from "./sample-events.ts";

/** The parts of the document that the mock looks at itself; Prism reads the rest. */
export interface MockedDocument {
  servers: { url: string }[];
  paths: Record<string, object>;
}
export interface Response {
  statusCode: number;
  headers?: Record<string, string>;
  body?: unknown;
}
type Respond = (request: IncomingMessage, path: string, query: URLSearchParams) => Promise<Response>;

/** Lets Prism handle requests from the document's examples, or with data made up from its schemas. */
export async function createResponder(document: MockedDocument): Promise<Respond> {
  const sendSampleEvent = createSampleSender(document);
  const operations = await getHttpOperationsFromSpec(forPrism(document));
  const prism = createInstance(configured({ dynamic: false }), {
    logger: createLogger("mock", { level: "silent" }),
  });

  return async (request, path, query) => {
    const headers = headersOf(request.headers);
    const input = {
      method: methodOf(request.method),
      url: { path, query: queryOf(query) },
      headers,
      body: await readBody(request),
    };
    const preferences = readPreferences(headers.prefer);
    refuseUnknownParameters(operations, input);
    const result = await prism.request(input, operations, configured(preferences))();
    if (result._tag === "Left") throw result.left;
    const response = result.right.output;
    sendSampleEvent(input.body, response.body);
    return response;
  };
}

/**
 * The document with what Prism does not do: it passes over `servers`, so the paths get the base path; and it would fire every
 * callback, of whichever type and unsigned, so they go.
 */
function forPrism(document: MockedDocument): MockedDocument {
  const base = document.servers[0]?.url ?? "";
  const paths = Object.entries(document.paths).map(([path, item]) => [
    `${base}${path}`,
    Object.fromEntries(
      Object.entries(item).map(([method, operation]) => [method, { ...operation, callbacks: {} }]),
    ),
  ]);
  return { ...document, servers: [], paths: Object.fromEntries(paths) };
}

/** A new object for each request: Prism notes in it what the request accepts. */
function configured(mock: Preferences): IHttpConfig {
  return {
    isProxy: false,
    checkSecurity: true,
    validateRequest: true,
    validateResponse: false,
    errors: false,
    upstreamProxy: undefined,
    mock: { ...mock },
  };
}

function methodOf(method: string | undefined): IHttpRequest["method"] {
  switch (method) {
    case "GET":
      return "get";
    case "POST":
      return "post";
    case "DELETE":
      return "delete";
    default:
      throw new MockError(405, `${method} is no method of any operation.`);
  }
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
}

/** A parameter that is given twice becomes a list, which no parameter of the service takes. */
function queryOf(query: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries(
    [...new Set(query.keys())].map((name) => {
      const values = query.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? "")];
    }),
  );
}
