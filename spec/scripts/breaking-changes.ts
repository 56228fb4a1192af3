import { isDeepStrictEqual } from "node:util";
import {
  type Additions,
  type Change,
  createSchemaComparison,
  type SchemaComparison,
} from "./compare-schemas.ts";
import {
  type Header,
  type MediaType,
  type OpenApiDocument,
  type Operation,
  operationsOf,
  type Parameter,
  type Response,
  resolve,
} from "./document.ts";

/** A breaking change and the operations that it breaks: `GET /search/catalog`, or the name of a callback. */
export interface BreakingChange extends Change {
  operations: string[];
}

export interface Comparison {
  changes: BreakingChange[];
  /** How many operations, and callbacks of them, both documents have. */
  operations: number;
  callbacks: number;
  /** What only the later document has: nothing protects it yet. */
  notCompared: Additions & { operations: string[]; callbacks: number };
}

type Content = Readonly<Record<string, MediaType>>;

interface Walk {
  before: OpenApiDocument;
  after: OpenApiDocument;
  schemas: SchemaComparison;
  additions: Additions;
  /** Reports a change of the operation. */
  tell(owner: string, place: string, fault: string, remedy: string): void;
}

/** What would break a partner of `before` in `after`: see docs/decisions/0030-breaking-change-check.md for the rules. */
export function compareDocuments(before: OpenApiDocument, after: OpenApiDocument): Comparison {
  const changes: (Change & { owner: string })[] = [];
  const additions: Additions = { parameters: 0, fields: 0 };
  const report = (owner: string, change: Change) => changes.push({ ...change, owner });
  const schemas = createSchemaComparison({ before, after }, report, additions);
  const walk: Walk = {
    before,
    after,
    schemas,
    additions,
    tell: (owner, place, fault, remedy) => report(owner, { place, fault, remedy }),
  };
  compareServers(walk);
  const counts = comparePaths(walk);
  compareSchemas(walk);
  return {
    changes: changes.map(({ owner, ...change }) => ({ ...change, operations: schemas.usersOf(owner) })),
    ...counts.compared,
    notCompared: { ...additions, ...counts.added },
  };
}

/** Whether both the version of the document and the version in the path are a later major version. */
export function majorVersionMoved(before: OpenApiDocument, after: OpenApiDocument): boolean {
  const major = (document: OpenApiDocument) => Number(document.info.version.split(".")[0]);
  const servedUnder = after.servers.map(({ url }) => url);
  return (
    major(after) > major(before) &&
    servedUnder.length > 0 &&
    servedUnder.every((url) => url === `/api/v${major(after)}`)
  );
}

const theDocument = "the document";

function compareServers({ before, after, tell }: Walk): void {
  for (const { url } of before.servers)
    if (!after.servers.some((server) => server.url === url))
      tell(theDocument, "servers", `the service is no longer at ${url}.`, "Keep this path.");
  const { securitySchemes = {} } = before.components;
  for (const [name, scheme] of Object.entries(securitySchemes)) {
    const { description: _, ...from } = scheme;
    const { description: __, ...to } = after.components.securitySchemes?.[name] ?? {};
    if (!isDeepStrictEqual(from, to))
      tell(theDocument, `security scheme ${name}`, "it changed.", "Keep it, and add another beside it.");
  }
}

function comparePaths(walk: Walk) {
  const { before, after, tell } = walk;
  const [former, later] = [operationMap(before), operationMap(after)];
  let callbacks = 0;
  for (const [owner, operation] of former) {
    const next = later.get(owner);
    if (next === undefined)
      tell(owner, owner, "the operation was removed.", "Keep it; to end it, deprecate it.");
    else callbacks += compareOperation(walk, owner, operation, next);
  }
  const added = [...later].filter(([owner]) => !former.has(owner));
  const callbackCount = (operations: Iterable<Operation>) =>
    [...operations].flatMap((operation) => Object.keys(operation.callbacks ?? {})).length;
  return {
    compared: {
      operations: former.size - [...former.keys()].filter((owner) => !later.has(owner)).length,
      callbacks,
    },
    added: {
      operations: added.map(([, { operationId }]) => operationId),
      callbacks: callbackCount(later.values()) - callbacks,
    },
  };
}

function operationMap(document: OpenApiDocument): Map<string, Operation> {
  return new Map(
    operationsOf(document).map(({ path, method, operation }) => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

/** How many callbacks were compared. */
function compareOperation(walk: Walk, owner: string, before: Operation, after: Operation): number {
  const { tell } = walk;
  if (before.operationId !== after.operationId)
    tell(owner, `${owner} › operationId`, nameChange, `Keep ${before.operationId}.`);
  if (after["x-scope"] !== undefined && before["x-scope"] !== after["x-scope"])
    tell(
      owner,
      `${owner} › x-scope`,
      `the scope changed from ${before["x-scope"] ?? "none"} to ${after["x-scope"]}. Tokens are refused.`,
      "Keep the scope.",
    );
  compareSecurity(walk, owner, before, after);
  compareParameters(walk, owner, before, after);
  compareRequestBody(walk, owner, before, after);
  compareResponses(walk, owner, before, after);
  return compareCallbacks(walk, owner, before, after);
}

const nameChange = "the operationId changed: methods of generated clients get another name.";

/** Each way to be allowed must still be one: by the same schemes, or fewer. */
function compareSecurity(walk: Walk, owner: string, before: Operation, after: Operation): void {
  const ways = (operation: Operation, document: OpenApiDocument) => {
    const listed = operation.security ?? document.security ?? [];
    return listed.length === 0 ? [{}] : listed;
  };
  const nextWays = ways(after, walk.after);
  const isKept = (way: Record<string, string[]>) =>
    nextWays.some((next) =>
      Object.entries(next).every(
        ([name, scopes]) => scopes.every((scope) => way[name]?.includes(scope)) && name in way,
      ),
    );
  if (!ways(before, walk.before).every(isKept))
    walk.tell(
      owner,
      `${owner} › security`,
      "a request needs more than before.",
      "Keep it as open as it was.",
    );
}

function compareParameters(walk: Walk, owner: string, before: Operation, after: Operation): void {
  const key = ({ in: place, name }: Parameter) =>
    `${place} ${place === "header" ? name.toLowerCase() : name}`;
  const named = (operation: Operation, document: OpenApiDocument) =>
    new Map(
      (operation.parameters ?? []).map((parameter) => {
        const resolved = resolve(parameter, document);
        return [key(resolved), resolved] as const;
      }),
    );
  const [former, later] = [named(before, walk.before), named(after, walk.after)];
  for (const [name, parameter] of former) {
    const place = `${owner} › ${name}`;
    const next = later.get(name);
    if (next === undefined) {
      walk.tell(
        owner,
        place,
        "the parameter was removed. Requests that have it are refused.",
        "Keep it; to end it, deprecate it.",
      );
      continue;
    }
    if (next.required && !parameter.required)
      walk.tell(owner, place, "the parameter became required.", "Make it optional, and give it a default.");
    if (!isDeepStrictEqual(serialisation(parameter, walk.before), serialisation(next, walk.after)))
      walk.tell(owner, place, "it is written in another way (style, explode).", "Keep style and explode.");
    walk.schemas.compare(parameter.schema, next.schema, { place, direction: "sent", owner });
  }
  for (const [name, parameter] of later) {
    if (former.has(name)) continue;
    walk.additions.parameters += 1;
    if (parameter.required)
      walk.tell(
        owner,
        `${owner} › ${name}`,
        "the new parameter is required: no former request has it.",
        "Make it optional, and give it a default.",
      );
  }
}

function serialisation({ in: place, style, explode, schema }: Parameter, document: OpenApiDocument): object {
  const usual = place === "query" ? "form" : "simple";
  const { type } = resolve(schema, document);
  const isList = type === "array" || type === "object";
  const written = { style: style ?? usual, explode: explode ?? (style ?? usual) === "form" };
  return isList ? written : {};
}

function compareRequestBody(walk: Walk, owner: string, before: Operation, after: Operation): void {
  const from = before.requestBody && resolve(before.requestBody, walk.before);
  const to = after.requestBody && resolve(after.requestBody, walk.after);
  const place = `${owner} › body`;
  if (to?.required && !from?.required)
    walk.tell(owner, place, "the body became required.", "Make it optional.");
  if (from && !to)
    walk.tell(owner, place, "the body was removed. Requests that have it are refused.", "Keep it.");
  if (from && to) compareContent(walk, { owner, place, direction: "sent" }, from.content, to.content);
}

function compareResponses(walk: Walk, owner: string, before: Operation, after: Operation): void {
  for (const [status, response] of Object.entries(before.responses)) {
    const place = `${owner} › ${status}`;
    const next = after.responses[status];
    if (next === undefined)
      walk.tell(owner, place, "the status was removed.", "Keep it; programs handle it.");
    else compareResponse(walk, owner, place, [resolve(response, walk.before), resolve(next, walk.after)]);
  }
  for (const status of Object.keys(after.responses))
    if (/^[23]/.test(status) && !(status in before.responses))
      walk.tell(
        owner,
        `${owner} › ${status}`,
        "a success has a status that no partner expects.",
        "Use a status that it has, or a new operation.",
      );
}

function compareResponse(
  walk: Walk,
  owner: string,
  place: string,
  [before, after]: [Response, Response],
): void {
  const { tell } = walk;
  compareContent(walk, { owner, place, direction: "received" }, before.content ?? {}, after.content ?? {});
  const lowerCased = (headers: Response["headers"] = {}, document: OpenApiDocument) =>
    new Map(
      Object.entries(headers).map(([name, header]): [string, Header] => [
        name.toLowerCase(),
        resolve(header, document),
      ]),
    );
  const later = lowerCased(after.headers, walk.after);
  for (const [name, header] of lowerCased(before.headers, walk.before)) {
    const next = later.get(name);
    const at = `${place} › header ${name}`;
    if (next === undefined) tell(owner, at, "the header was removed.", "Keep it.");
    else {
      if (header.required && !next.required)
        tell(owner, at, "the header is no longer promised.", "Keep `required`.");
      walk.schemas.compare(header.schema, next.schema, { place: at, direction: "received", owner });
    }
  }
  for (const [name, link] of Object.entries(before.links ?? {})) {
    const { description: _, ...from } = resolve(link, walk.before);
    const target = after.links?.[name];
    const at = `${place} › link ${name}`;
    if (target === undefined) {
      tell(owner, at, "the link was removed.", "Keep it.");
      continue;
    }
    const { description: __, ...to } = resolve(target, walk.after);
    if (!isDeepStrictEqual(from, to))
      tell(owner, at, "the link leads elsewhere.", "Keep it, and add another.");
  }
}

interface Place {
  owner: string;
  place: string;
  direction: "sent" | "received";
}

function compareContent(
  walk: Walk,
  { owner, place, direction }: Place,
  before: Content,
  after: Content,
): void {
  for (const [type, media] of Object.entries(before)) {
    const next = after[type];
    const at = Object.keys(before).length === 1 ? place : `${place} › ${type}`;
    if (next === undefined) walk.tell(owner, `${place} › ${type}`, "the media type was removed.", "Keep it.");
    else walk.schemas.compare(media.schema, next.schema, { place: at, direction, owner });
  }
}

/** A callback is a request that partners receive; what they may respond with is what they send. */
function compareCallbacks(walk: Walk, owner: string, before: Operation, after: Operation): number {
  let compared = 0;
  for (const [name, callback] of Object.entries(before.callbacks ?? {})) {
    const next = after.callbacks?.[name];
    const place = `${owner} › callback ${name}`;
    if (next === undefined) {
      walk.tell(owner, place, "the callback was removed: its events no longer come.", "Keep it.");
      continue;
    }
    compared += 1;
    for (const [url, item] of Object.entries(callback))
      for (const [method, request] of Object.entries(item)) {
        const nextRequest = next[url]?.[method];
        if (nextRequest === undefined)
          walk.tell(owner, `${place} › ${method} ${url}`, "it is sent elsewhere, or not at all.", "Keep it.");
        else compareCallback(walk, owner, place, [request, nextRequest]);
      }
  }
  return compared;
}

function compareCallback(walk: Walk, owner: string, place: string, [before, after]: [Operation, Operation]) {
  const { tell } = walk;
  if (before.operationId !== after.operationId)
    tell(owner, `${place} › operationId`, nameChange, `Keep ${before.operationId}.`);
  const later = (after.parameters ?? []).map((parameter) => resolve(parameter, walk.after));
  for (const given of before.parameters ?? []) {
    const parameter = resolve(given, walk.before);
    const at = `${place} › ${parameter.in} ${parameter.name}`;
    const next = later.find(({ in: where, name }) => where === parameter.in && name === parameter.name);
    if (next === undefined) tell(owner, at, "it is no longer sent to partners.", "Keep it.");
    else {
      if (parameter.required && !next.required)
        tell(owner, at, "it is no longer promised.", "Keep `required`.");
      walk.schemas.compare(parameter.schema, next.schema, { place: at, direction: "received", owner });
    }
  }
  const [from, to] = [before.requestBody, after.requestBody];
  if (from) {
    const received = { owner, place, direction: "received" } as const;
    compareContent(
      walk,
      received,
      resolve(from, walk.before).content,
      to ? resolve(to, walk.after).content : {},
    );
  }
  for (const status of Object.keys(before.responses))
    if (!(status in after.responses))
      tell(owner, `${place} › ${status}`, "partners may no longer respond with it.", "Keep it.");
}

/** Each published schema is a type of generated clients. Those that no operation refers to are of events. */
function compareSchemas(walk: Walk): void {
  const { before, after, schemas, tell } = walk;
  for (const name of Object.keys(before.components.schemas)) {
    const place = `schema ${name}`;
    if (!(name in after.components.schemas))
      tell(theDocument, place, "the schema was removed, which is a published type.", "Keep it.");
    else if (!schemas.names().has(name)) {
      const Ref = `#/components/schemas/${name}`;
      schemas.compare({ $ref: Ref }, { $ref: Ref }, { owner: place, place, direction: "received" });
    }
  }
}
