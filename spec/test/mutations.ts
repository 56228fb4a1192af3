// Single changes of the document at random places, each with what a person would say of it: does it break a partner? The
// rules are written here by hand and know nothing of the check that they test.
import { type OpenApiDocument, type Operation, operationsOf, type Schema } from "../scripts/document.ts";

/** A schema in the document, and whether partners send it, receive it, or both. */
interface SchemaSite {
  kind: "schema";
  where: string;
  schema: Schema;
  isSent: boolean;
  isReceived: boolean;
  /** Clients are told to expect more codes of errors, and more kinds of events. */
  isOpen: boolean;
}
interface OperationSite {
  kind: "operation";
  where: string;
  document: OpenApiDocument;
  operation: Operation;
  remove(): void;
}
type Site = SchemaSite | OperationSite;

interface Mutator<Of extends Site> {
  /** Whether the change can be made there. */
  fits(site: Of): boolean;
  change(site: Of, random: () => number): void;
  breaks(site: Of): boolean;
}

export interface Mutation {
  name: string;
  where: string;
  document: OpenApiDocument;
  breaks: boolean;
}

const always = () => true;
const never = () => false;
const ifSent = ({ isSent }: SchemaSite) => isSent;
const ifReceived = ({ isReceived }: SchemaSite) => isReceived;
const pick = <Item>(items: readonly Item[], random: () => number): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("The document has no place for this change.");
  return item;
};
const namesOf = (schema: Schema) => Object.keys(schema.properties ?? {});
const optionalOf = (schema: Schema) => namesOf(schema).filter((name) => !schema.required?.includes(name));
const isText = ({ schema }: SchemaSite) => schema.type === "string" && !schema.enum;
const isNumber = ({ schema }: SchemaSite) => schema.type === "integer" || schema.type === "number";

type Bound = "maximum" | "maxLength" | "maxItems" | "minimum" | "minLength" | "minItems";
/** The bounds of a schema above `least`, by which they can fall and stay bounds. */
const boundsOf = (schema: Schema, names: readonly Bound[], least = 1) =>
  names.filter((name) => (schema[name] ?? -1) > least);
const upper = ["maximum", "maxLength", "maxItems"] as const;
const lower = ["minimum", "minLength", "minItems"] as const;
const moved = (names: readonly Bound[], least: number, by: (value: number) => number | undefined) => ({
  fits: ({ schema }: SchemaSite) => boundsOf(schema, names, least).length > 0,
  change({ schema }: SchemaSite, random: () => number) {
    const name = pick(boundsOf(schema, names, least), random);
    const value = by(schema[name] ?? 0);
    if (value === undefined) delete schema[name];
    else schema[name] = value;
  },
});

const schemaMutators: Record<string, Mutator<SchemaSite>> = {
  "remove a field": {
    fits: ({ schema }) => namesOf(schema).length > 0,
    change: ({ schema }, random) => delete schema.properties?.[pick(namesOf(schema), random)],
    breaks: always,
  },
  "remove an optional field": {
    fits: ({ schema }) => optionalOf(schema).length > 0,
    change: ({ schema }, random) => delete schema.properties?.[pick(optionalOf(schema), random)],
    breaks: always,
  },
  "add an optional field": {
    fits: ({ schema }) => namesOf(schema).length > 0,
    change: ({ schema }) => Object.assign(schema.properties ?? {}, { weight: { type: "string" } }),
    breaks: never,
  },
  "add a required field": {
    fits: ({ schema }) => namesOf(schema).length > 0,
    change({ schema }) {
      schema.properties = { ...schema.properties, weight: { type: "string" } };
      schema.required = [...(schema.required ?? []), "weight"];
    },
    breaks: ifSent,
  },
  "make a field required": {
    fits: ({ schema }) => optionalOf(schema).length > 0,
    change({ schema }, random) {
      schema.required = [...(schema.required ?? []), pick(optionalOf(schema), random)];
    },
    breaks: ifSent,
  },
  "make a field optional": {
    fits: ({ schema }) => (schema.required?.filter((name) => schema.properties?.[name]).length ?? 0) > 0,
    change({ schema }, random) {
      const name = pick(schema.required?.filter((one) => schema.properties?.[one]) ?? [], random);
      schema.required = schema.required?.filter((one) => one !== name) ?? [];
    },
    breaks: ifReceived,
  },
  "lower an upper bound": { ...moved(upper, 1, (value) => Math.floor(value / 2)), breaks: ifSent },
  "raise an upper bound": { ...moved(upper, 0, (value) => value * 2), breaks: ifReceived },
  "remove an upper bound": { ...moved(upper, -1, () => undefined), breaks: ifReceived },
  "raise a lower bound": { ...moved(lower, -1, (value) => value + 1), breaks: ifSent },
  "lower a lower bound": { ...moved(lower, 0, (value) => value - 1), breaks: ifReceived },
  "add an upper bound": {
    fits: (site) => isText(site) && site.schema.maxLength === undefined,
    change: ({ schema }) => Object.assign(schema, { maxLength: 10 }),
    breaks: ifSent,
  },
  "add a lower bound": {
    fits: (site) => isNumber(site) && site.schema.minimum === undefined,
    change: ({ schema }) => Object.assign(schema, { minimum: 1 }),
    breaks: ifSent,
  },
  "add a pattern": {
    fits: (site) => isText(site) && !site.schema.pattern,
    change: ({ schema }) => Object.assign(schema, { pattern: "^[a-z]+$" }),
    breaks: ifSent,
  },
  "change a pattern": {
    fits: ({ schema }) => schema.pattern !== undefined,
    change: ({ schema }) => Object.assign(schema, { pattern: "^[a-z]{3}$" }),
    breaks: always,
  },
  "remove a pattern": {
    fits: ({ schema }) => schema.pattern !== undefined,
    change: ({ schema }) => delete schema.pattern,
    breaks: ifReceived,
  },
  "add a format": {
    fits: (site) => isText(site) && !site.schema.format,
    change: ({ schema }) => Object.assign(schema, { format: "uuid" }),
    breaks: ifSent,
  },
  "change a format": {
    fits: ({ schema }) => schema.format !== undefined,
    change: ({ schema }) => Object.assign(schema, { format: "ipv4" }),
    breaks: always,
  },
  "remove a format": {
    fits: ({ schema }) => schema.format !== undefined,
    change: ({ schema }) => delete schema.format,
    breaks: ifReceived,
  },
  "change a type": {
    fits: ({ schema }) => schema.type !== undefined && schema.type !== "boolean",
    change: ({ schema }) => Object.assign(schema, { type: "boolean" }),
    breaks: always,
  },
  "allow fractions": {
    fits: ({ schema }) => schema.type === "integer",
    change: ({ schema }) => Object.assign(schema, { type: "number" }),
    breaks: ifReceived,
  },
  "allow whole numbers only": {
    fits: ({ schema }) => schema.type === "number",
    change: ({ schema }) => Object.assign(schema, { type: "integer" }),
    breaks: ifSent,
  },
  "remove a word": {
    fits: ({ schema }) => (schema.enum?.length ?? 0) > 1,
    change: ({ schema }, random) => schema.enum?.splice(Math.floor(random() * schema.enum.length), 1),
    breaks: always,
  },
  "add a word": {
    fits: ({ schema }) => schema.enum !== undefined,
    change: ({ schema }) => schema.enum?.push("something new"),
    breaks: ({ isReceived, isOpen }) => isReceived && !isOpen,
  },
  "allow a list of words only": {
    fits: isText,
    change: ({ schema }) => Object.assign(schema, { enum: ["one", "two"] }),
    breaks: ifSent,
  },
  "allow null": {
    fits: ({ schema }) => schema.type !== undefined && !schema.nullable,
    change: ({ schema }) => Object.assign(schema, { nullable: true }),
    breaks: ifReceived,
  },
  "allow null no more": {
    fits: ({ schema }) => schema.nullable === true,
    change: ({ schema }) => delete schema.nullable,
    breaks: ifSent,
  },
  "change a default": {
    fits: ({ schema }) => schema.default !== undefined,
    change: ({ schema }) =>
      Object.assign(schema, { default: typeof schema.default === "number" ? 3 : "other" }),
    breaks: ifSent,
  },
  "remove a default": {
    fits: ({ schema }) => schema.default !== undefined,
    change: ({ schema }) => delete schema.default,
    breaks: ifSent,
  },
  "require different items": {
    fits: ({ schema }) => schema.type === "array" && !schema.uniqueItems,
    change: ({ schema }) => Object.assign(schema, { uniqueItems: true }),
    breaks: ifSent,
  },
  "close an object": {
    fits: ({ schema }) => schema.type === "object" && schema.additionalProperties === undefined,
    change: ({ schema }) => Object.assign(schema, { additionalProperties: false }),
    breaks: ifSent,
  },
  "open an object": {
    fits: ({ schema }) => schema.additionalProperties === false,
    change: ({ schema }) => delete schema.additionalProperties,
    breaks: never,
  },
  "let a list hold something else": {
    fits: ({ schema }) => schema.items !== undefined,
    change: ({ schema }) => Object.assign(schema, { items: { type: "boolean" } }),
    breaks: always,
  },
  "remove a kind of value": {
    fits: ({ schema }) => (schema.oneOf?.length ?? 0) > 1,
    change: ({ schema }, random) => schema.oneOf?.splice(Math.floor(random() * schema.oneOf.length), 1),
    breaks: always,
  },
  "add a kind of value": {
    fits: ({ schema }) => schema.oneOf !== undefined,
    change: ({ schema }) =>
      schema.oneOf?.push({ type: "object", properties: { weight: { type: "string" } } }),
    breaks: ({ isReceived, isOpen }) => isReceived && !isOpen,
  },
  "describe otherwise": {
    fits: always,
    change: ({ schema }) =>
      Object.assign(schema, { description: "Something.", example: "x", title: "Thing" }),
    breaks: never,
  },
};

const parametersOf = ({ operation }: OperationSite) =>
  (operation.parameters ?? []).filter((one) => "name" in one);
const responsesOf = ({ operation, document }: OperationSite) =>
  Object.entries(operation.responses).map(([status, response]) => {
    const name = Object(response).$ref?.split("/").at(-1);
    return { status, response: name ? (document.components.responses[name] ?? response) : response };
  });
const responsesWith = (site: OperationSite, part: "headers" | "links" | "content") =>
  responsesOf(site).filter(({ response }) => Object.keys(response[part] ?? {}).length > 0);
const removeFrom = (parts: object | undefined, random: () => number) => {
  const record: Record<string, unknown> = { ...parts };
  Reflect.deleteProperty(Object(parts), pick(Object.keys(record), random));
};

const operationMutators: Record<string, Mutator<OperationSite>> = {
  "remove an operation": { fits: always, change: ({ remove }) => remove(), breaks: always },
  "rename an operation": {
    fits: always,
    change: ({ operation }) => Object.assign(operation, { operationId: `${operation.operationId}2` }),
    breaks: always,
  },
  "ask for another scope": {
    fits: ({ operation }) => operation["x-scope"] !== undefined,
    change: ({ operation }) => Object.assign(operation, { "x-scope": "admin" }),
    breaks: always,
  },
  "ask for a token": {
    fits: ({ operation }) => operation.security?.length === 0,
    change: ({ operation }) => delete operation.security,
    breaks: always,
  },
  "ask for no token": {
    fits: ({ operation }) => operation.security === undefined,
    change: ({ operation }) => Object.assign(operation, { security: [] }),
    breaks: never,
  },
  "describe an operation otherwise": {
    fits: always,
    change: ({ operation }) => Object.assign(operation, { description: "x", summary: "y", tags: ["other"] }),
    breaks: never,
  },
  "remove a parameter": {
    fits: (site) => parametersOf(site).length > 0,
    change(site, random) {
      const gone = pick(parametersOf(site), random);
      site.operation.parameters = site.operation.parameters?.filter((one) => one !== gone) ?? [];
    },
    breaks: always,
  },
  "add an optional parameter": {
    fits: always,
    change: ({ operation }) => addParameter(operation, false),
    breaks: never,
  },
  "add a required parameter": {
    fits: always,
    change: ({ operation }) => addParameter(operation, true),
    breaks: always,
  },
  "make a parameter required": {
    fits: (site) => parametersOf(site).some(({ required }) => !required),
    change: (site, random) => {
      pick(
        parametersOf(site).filter(({ required }) => !required),
        random,
      ).required = true;
    },
    breaks: always,
  },
  "write a list in another way": {
    fits: (site) => parametersOf(site).some(({ explode }) => explode === false),
    change: (site, random) => {
      pick(
        parametersOf(site).filter(({ explode }) => explode === false),
        random,
      ).explode = true;
    },
    breaks: always,
  },
  "remove a status": {
    fits: always,
    change: ({ operation }, random) => removeFrom(operation.responses, random),
    breaks: always,
  },
  "add a status of an error": {
    fits: ({ operation }) => operation.responses["418"] === undefined,
    change: ({ operation }) => Object.assign(operation.responses, { 418: { description: "A teapot." } }),
    breaks: never,
  },
  "add a status of a success": {
    fits: ({ operation }) => operation.responses["203"] === undefined,
    change: ({ operation }) =>
      Object.assign(operation.responses, { 203: { description: "From elsewhere." } }),
    breaks: always,
  },
  "remove a media type": {
    fits: (site) => responsesWith(site, "content").length > 0,
    change: (site, random) =>
      removeFrom(pick(responsesWith(site, "content"), random).response.content, random),
    breaks: always,
  },
  "remove a header": {
    fits: (site) => responsesWith(site, "headers").length > 0,
    change: (site, random) =>
      removeFrom(pick(responsesWith(site, "headers"), random).response.headers, random),
    breaks: always,
  },
  "add a header": {
    fits: (site) => responsesWith(site, "content").length > 0,
    change(site, random) {
      const { response } = pick(responsesWith(site, "content"), random);
      response.headers = { ...response.headers, "X-Weight": { schema: { type: "string" } } };
    },
    breaks: never,
  },
  "remove a link": {
    fits: (site) => responsesWith(site, "links").length > 0,
    change: (site, random) => removeFrom(pick(responsesWith(site, "links"), random).response.links, random),
    breaks: always,
  },
  "let a link lead elsewhere": {
    fits: (site) => responsesWith(site, "links").length > 0,
    change(site, random) {
      const links = Object.values(pick(responsesWith(site, "links"), random).response.links ?? {});
      pick(links, random).parameters = { somewhere: "$response.body#/else" };
    },
    breaks: always,
  },
  "add a link": {
    fits: ({ operation }) => operation.responses["200"]?.content !== undefined,
    change({ operation }) {
      const response = operation.responses["200"];
      if (response)
        response.links = { ...response.links, again: { operationId: "searchTrial", parameters: {} } };
    },
    breaks: never,
  },
  "remove a callback": {
    fits: ({ operation }) => operation.callbacks !== undefined,
    change: ({ operation }, random) => removeFrom(operation.callbacks, random),
    breaks: always,
  },
  "add a callback": {
    fits: ({ operation }) => operation.callbacks !== undefined,
    change: ({ operation }) => Object.assign(operation.callbacks ?? {}, { nameAlert: {} }),
    breaks: never,
  },
  "require a body": {
    fits: ({ operation }) => operation.requestBody !== undefined && !operation.requestBody.required,
    change: ({ operation }) => Object.assign(operation.requestBody ?? {}, { required: true }),
    breaks: always,
  },
  "remove a body": {
    fits: ({ operation }) => operation.requestBody !== undefined,
    change: ({ operation }) => delete operation.requestBody,
    breaks: always,
  },
  "move the service": {
    fits: always,
    change: ({ document }) => Object.assign(document, { servers: [{ url: "/api/v9" }] }),
    breaks: always,
  },
  "serve it elsewhere, too": {
    fits: always,
    change: ({ document }) => document.servers.push({ url: "/v1" }),
    breaks: never,
  },
};

function addParameter(operation: Operation, required: boolean): void {
  const parameter = {
    name: "weight",
    in: "query",
    required,
    description: "",
    schema: { type: "string" },
  } as const;
  operation.parameters = [...(operation.parameters ?? []), parameter];
}

const names = [...Object.keys(schemaMutators), ...Object.keys(operationMutators)];

/** Changes a copy of the document once. The numbers from 0 on take all kinds of changes in turn. */
export function mutate(original: OpenApiDocument, number: number, random: () => number): Mutation {
  const document = structuredClone(original);
  const name = names[number % names.length] ?? "";
  const [schemaMutator, operationMutator] = [schemaMutators[name], operationMutators[name]];
  if (schemaMutator) return { name, document, ...changed(schemaMutator, schemaSites(document), random) };
  if (operationMutator)
    return { name, document, ...changed(operationMutator, operationSites(document), random) };
  throw new Error(`${number} is no number of a change.`);
}

function changed<Of extends Site>(mutator: Mutator<Of>, sites: Of[], random: () => number) {
  const site = pick(sites.filter(mutator.fits), random);
  const breaks = mutator.breaks(site);
  mutator.change(site, random);
  return { where: site.where, breaks };
}

function operationSites(document: OpenApiDocument): OperationSite[] {
  return operationsOf(document).map(({ path, method, operation }) => ({
    kind: "operation",
    where: `${method.toUpperCase()} ${path}`,
    document,
    operation,
    remove: () => Reflect.deleteProperty(document.paths[path] ?? {}, method),
  }));
}

/** Every schema of the document, with the directions in which it is used. */
function schemaSites(document: OpenApiDocument): SchemaSite[] {
  const sites = new Map<Schema, SchemaSite>();
  function visit(schema: Schema | undefined, where: string, direction: "isSent" | "isReceived"): void {
    if (schema === undefined) return;
    if (schema.$ref) {
      const name = schema.$ref.split("/").at(-1) ?? "";
      visit(document.components.schemas[name], name, direction);
      return;
    }
    const site = sites.get(schema) ?? newSite(schema, where);
    if (site[direction]) return;
    site[direction] = true;
    sites.set(schema, site);
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      visit(property, `${where}.${name}`, direction);
    visit(schema.items, `${where}[]`, direction);
    if (typeof schema.additionalProperties === "object")
      visit(schema.additionalProperties, `${where}.*`, direction);
    for (const member of [...(schema.allOf ?? []), ...(schema.oneOf ?? [])]) visit(member, where, direction);
  }
  const visitParts = (node: unknown, where: string, direction: "isSent" | "isReceived"): void => {
    if (typeof node !== "object" || node === null) return;
    const { $ref, schema } = Object(node);
    if (typeof $ref === "string") {
      const [, , kind = "", name = ""] = $ref.split("/");
      visitParts(Object(document.components)[kind]?.[name], `${where} ${name}`, direction);
      return;
    }
    if (schema) visit(schema, where, direction);
    for (const [key, value] of Object.entries(node))
      if (!["schema", "example", "examples", "callbacks"].includes(key))
        visitParts(value, `${where} ${key}`, direction);
  };
  for (const { path, method, operation } of operationsOf(document)) {
    const where = `${method.toUpperCase()} ${path}`;
    visitParts(operation.parameters, where, "isSent");
    visitParts(operation.requestBody, where, "isSent");
    visitParts(operation.responses, where, "isReceived");
    for (const callback of Object.values(operation.callbacks ?? {}).flatMap((item) => Object.values(item)))
      for (const request of Object.values(callback)) {
        visitParts(request.parameters, `${where} ${request.operationId}`, "isReceived");
        visitParts(request.requestBody, `${where} ${request.operationId}`, "isReceived");
      }
  }
  // Published for clients, without an operation that refers to them.
  for (const [name, schema] of Object.entries(document.components.schemas))
    if (!sites.has(schema)) visit(schema, name, "isReceived");
  return [...sites.values()];
}

function newSite(schema: Schema, where: string): SchemaSite {
  const isOpen = /(^|\.)code$|Code$|Event$/.test(where);
  return { kind: "schema", where, schema, isSent: false, isReceived: false, isOpen };
}

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
