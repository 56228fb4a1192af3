import { createRandom, type Random } from "@product-search/sample-catalog";
import { type Operation, operations, type Schema } from "@product-search/spec/operations";

/** The keywords of JSON Schema that the document's requests use. */
interface FullSchema extends Schema {
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  items?: FullSchema;
  required?: string[];
  format?: string;
}

const words = [
  "lamp",
  "table lamp",
  "red shoes under 80",
  "zzqqxxjj",
  "sofa -oak",
  "Northfell",
  "kvist",
  "boots",
  "lmap",
  "a",
  "gift for him",
];
/** A red disc on white, 48 × 48. */
const image =
  "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwCAIAAADYYG7QAAAAcklEQVR42u3YwQ3AMAhDUY+T/afoVs0GDUoIwtVHDPBu2OhtNgIECBAgQFmgZ4zvrQMtKScsXdVsmHSVssFSjSZu8gSlaIImVWoiJjdQumZpAgQIECBA5iCOq2MeIsKato6Ovaxpc+3Y7XnHAAIE6NegCX9fvb+yPQEHAAAAAElFTkSuQmCC";

/** Values that a schema cannot describe, by the name of their parameter or field. */
const named: Record<string, (random: Random) => unknown> = {
  q: (random) => pick(words, random),
  query: (random) => pick(words, random),
  priceRange: (random) => random.pick(["[10,100]", "20,60", "[0,0]", "[5.5,19.99]"]),
  base64String: (random) =>
    random.pick([image, image, `data:image/png;base64,${image}`, "aGVsbG8=", "%%%", ""]),
  webhookUrl: (random) => random.pick(["TARGET/one", "TARGET/two", "not a url"]),
  productIds: (random): Reference[] => [{ kind: "product", index: random.integer(0, 9) }],
  brands: (random) => random.pick(["Northfell", "Kvist,Ilmari", "nobody", ""]),
  categories: (random) => random.pick(["Lamps", "lamps,Sofas", "none"]),
  stores: (random) => random.pick(["Sundial Shop", "none"]),
  availability: (random) => random.pick(["in_stock", "in_stock,preorder", "gone"]),
  facets: (random) => random.pick(["brands", "price,rating", "colours"]),
  cursor: (random) => random.pick(["abc", "MQ", ""]),
  from: (random) => random.pick(["2026-01-01T00:00:00Z", "yesterday"]),
  to: (random) => random.pick(["2026-12-01T00:00:00Z", "2020-01-01T00:00:00Z"]),
  until: (random) => random.pick(["2026-12-01T00:00:00Z", "2020-01-01T00:00:00Z"]),
  history: (random) => [pick(words, random)],
};

/** A value that fits the schema, as far as a schema says it. */
function generateValue(schema: Schema, name: string, random: Random): unknown {
  const given = named[name];
  if (given) return given(random);
  const {
    type,
    enum: values,
    minimum = 0,
    maximum = 50,
    items,
    properties = {},
    required = [],
  }: FullSchema = schema;
  if (values) return pick(values, random);
  if (type === "boolean") return random.chance(0.5);
  if (type === "integer") return random.integer(minimum, Math.min(maximum, minimum + 20));
  if (type === "number") return random.integer(minimum, Math.min(maximum, minimum + 20)) / 2;
  if (type === "array") return items ? [generateValue(items, "item", random)] : [];
  if (type !== "object") return pick(words, random);
  const wanted = Object.entries(properties).filter(([key]) => required.includes(key) || random.chance(0.3));
  return Object.fromEntries(wanted.map(([key, value]) => [key, generateValue(value, key, random)]));
}

/** Identifiers in paths and queries, and what they name. */
const references: Record<string, Reference["kind"]> = {
  webhook_id: "webhook",
  delivery_id: "delivery",
  product_id: "product",
  imageId: "image",
};
const tokens = ["Bearer first", "Bearer second"];
const all = Object.values(operations);
/** What makes and changes state comes more often than its share. */
const stateful = all.filter(({ tag }) => tag === "webhooks");

/** So many requests, the same for one seed: valid ones mostly, and each with one fault or two otherwise. */
export function generateRequests(count: number, seed: number): GeneratedRequest[] {
  const random = createRandom(seed);
  return Array.from({ length: count }, () => {
    const operation = pick(random.chance(0.4) ? stateful : all, random);
    const request = validRequest(operation, random);
    if (random.chance(0.4)) addFault(request, operation, random);
    if (random.chance(0.05)) addFault(request, operation, random);
    return request;
  });
}

function validRequest(operation: Operation, random: Random): GeneratedRequest {
  const { operationId, method, schemas, scope, idempotent, body } = operation;
  const wanted = Object.entries(schemas.query.properties ?? {}).filter(
    ([name]) => isRequired(schemas.query, name) || random.chance(0.3),
  );
  const hasBody = body === "required" || (body === "optional" && random.chance(0.5));
  return {
    operationId,
    method,
    path: operation.path
      .slice(1)
      .split("/")
      .map((step) => pathStep(step, random)),
    query: wanted.map(([name, schema]) => [
      name,
      identifier(name, random) ?? `${generateValue(schema, name, random)}`,
    ]),
    headers: {
      ...(scope !== undefined && {
        authorization: random.chance(0.8) ? "Bearer first" : pick(tokens, random),
      }),
      ...(idempotent && random.chance(0.3) && { "idempotency-key": `key-${random.integer(0, 5)}` }),
      ...(operationId === "deepSearch" && random.chance(0.3) && { accept: "text/event-stream" }),
    },
    ...(hasBody && schemas.body && { body: generateValue(schemas.body, "body", random) }),
  };
}

function pathStep(step: string, random: Random): string | Reference {
  const name = /^\{(\w+)\}$/.exec(step)?.[1];
  return name === undefined ? step : (identifier(name, random) ?? "unknown");
}

function identifier(name: string, random: Random): Reference | string | undefined {
  const kind = references[name];
  if (kind === undefined) return undefined;
  return random.chance(0.85)
    ? { kind, index: random.integer(0, 9) }
    : random.pick(["unknown", "a b", "%", "é/ü"]);
}

function isRequired(schema: Schema, name: string): boolean {
  const { required = [] } = Object(schema);
  return required.includes(name);
}

/** Makes one thing wrong, or at least odd. */
function addFault(request: GeneratedRequest, operation: Operation, random: Random): void {
  pick(faults, random)(request, operation, random);
}

type Fault = (request: GeneratedRequest, operation: Operation, random: Random) => void;

const oddValues = [
  "",
  " ",
  "0",
  "-1",
  "1.5",
  "abc",
  "999999999",
  "null",
  "true",
  "[5,1]",
  "[1,2]",
  "é",
  "x".repeat(600),
  "\u0000",
];

const faults: Fault[] = [
  (request) => void delete request.headers.authorization,
  (request, _, random) => {
    request.headers.authorization = random.pick(["Basic abc", "Bearer", "Bearer a b", ""]);
  },
  (request) => void request.query.push(["colour", "red"]),
  (request, _, random) => {
    const [name] = request.query.length > 0 ? pick(request.query, random) : ["q"];
    request.query.push([name, "twice"]);
  },
  (request, { schemas }, random) => {
    const names = Object.keys(schemas.query.properties ?? {});
    if (names.length === 0) return;
    const name = pick(names, random);
    request.query = [...request.query.filter(([other]) => other !== name), [name, pick(oddValues, random)]];
  },
  (request, { schemas }, random) => {
    const names = Object.keys(schemas.query.properties ?? {});
    if (names.length === 0) return;
    const left = pick(names, random);
    request.query = request.query.filter(([name]) => name !== left);
  },
  (request, _, random) => {
    request.headers.accept = random.pick([
      "text/html",
      "image/png",
      "application/*",
      "application/json;q=0",
      "*/*",
    ]);
  },
  (request, _, random) => {
    request.method = random.pick(["PUT", "PATCH", "POST", "GET", "DELETE", "HEAD"]);
  },
  (request, _, random) => {
    request.path = [...request.path, random.pick(["", "more", "test"])];
  },
  (request, _, random) => {
    request.headers["content-type"] = random.pick([
      "text/plain",
      "application/xml",
      "application/json; charset=utf-8",
    ]);
    request.body ??= "{}";
  },
  (request, _, random) => {
    request.body = random.pick(["{", "", "[]", "null", '"text"', "5", '{"__proto__": 1}', "\u0000"]);
  },
  (request, { schemas }, random) => breakBody(request, schemas.body, random),
  (request, { schemas }, random) => breakBody(request, schemas.body, random),
  (request, _, random) => {
    request.headers["idempotency-key"] = random.pick(["", "x".repeat(256), "key-1", "key-2"]);
  },
];

function breakBody(request: GeneratedRequest, schema: Schema | undefined, random: Random): void {
  if (typeof request.body !== "object" || request.body === null) return;
  const names = Object.keys(schema?.properties ?? {});
  const name = random.chance(0.2) || names.length === 0 ? "colour" : pick(names, random);
  const odd = pick<unknown>([...oddValues, 5, null, [], {}, true], random);
  request.body = { ...request.body, [name]: odd };
}

/** One of a list that has something in it, which its type need not say. */
function pick<Item>(items: readonly Item[], random: Random): Item {
  const item = items[random.integer(0, items.length - 1)];
  if (item === undefined) throw new Error("There is nothing to choose from.");
  return item;
}

/** What names something that exists: it is replaced by an identifier of each side's own. */
export interface Reference {
  kind: "webhook" | "delivery" | "product" | "image";
  /** Which of those seen so far; beyond the last it counts on from the first. */
  index: number;
}

/** A request that both sides are sent, in terms that both understand. */
export interface GeneratedRequest {
  operationId: string;
  method: string;
  /** The steps of the path below the base path; references stand for identifiers. */
  path: (string | Reference)[];
  query: [name: string, value: string | Reference][];
  headers: Record<string, string>;
  /** Sent as it is when it is a text, else as JSON; references inside are replaced. */
  body?: unknown;
}

export function isReference(value: unknown): value is Reference {
  return typeof value === "object" && value !== null && "kind" in value && "index" in value;
}
