import type { ErrorObject } from "ajv";

const shownCharacters = 60;

/** "count: 251 is too large. Send a whole number from 1 to 250.": field, problem and remedy of the first violation. */
export function validationMessage(errors: readonly ErrorObject[], part: string): string {
  const error = errors[0];
  if (!error) return `${part}: is not valid.`;
  const field = fieldName(error, part);
  return `${field}: ${fault(error, part)}`;
}

function fieldName({ instancePath, keyword, params, parentSchema }: ErrorObject, part: string): string {
  const path = instancePath
    .split("/")
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : step.replaceAll("~1", "/").replaceAll("~0", "~")));
  if (keyword === "required") path.push(String(params.missingProperty));
  if (keyword === "additionalProperties") path.push(show(String(params.additionalProperty)));
  // An entry of a list in a query: the list is what was sent.
  const name = (part === "query" ? path.slice(0, 1) : path).join(".").replaceAll(".[", "[");
  if (part === "headers") return headerName(name, Object(parentSchema));
  return name === "" ? part : name;
}

/** Headers are validated in lower case. The title of their schema is the name in the spec. */
function headerName(name: string, parentSchema: SchemaNode): string {
  return (parentSchema.properties?.[name] ?? parentSchema).title ?? name;
}

function fault(error: ErrorObject, part: string): string {
  const { keyword, params, data } = error;
  const rule = rangeText(error);
  switch (keyword) {
    case "required":
      return `is missing. ${hint(error)}`;
    case "additionalProperties":
      return part === "query"
        ? "is not a parameter of this operation. Leave it out."
        : "is not a known field. Leave it out.";
    case "type":
      if (Array.isArray(data) && part === "query") return "is given more than once. Send it once.";
      return `${show(data)} is not ${article(String(params.type))}. ${rule}`;
    case "enum":
      return notOneOf(data, params.allowedValues);
    case "minimum":
      return `${show(data)} is too small. ${rule}`;
    case "maximum":
      return `${show(data)} is too large. ${rule}`;
    case "minLength":
      return `is too short. ${rule}`;
    case "maxLength":
      return `is too long. ${rule}`;
    case "pattern":
      if (error.parentSchema?.["x-values"]) return notOneOf(data, error.parentSchema["x-values"]);
      return `${show(data)} does not have the right form. ${hint(error)}`;
    case "minItems":
    case "maxItems":
      return `has ${Array.isArray(data) ? data.length : "too many"} entries. ${rule}`;
    case "minProperties":
    case "maxProperties":
      return `has too ${keyword === "minProperties" ? "few" : "many"} members. ${membersText(error)}`;
    case "uniqueItems":
      return "has the same entry more than once. Send each once.";
    case "format":
      return `${show(data)} is not a valid ${params.format}.`;
    default:
      return `${error.message ?? "is not valid"}.`;
  }
}

function notOneOf(data: unknown, values: readonly unknown[] = []): string {
  return `${show(data)} is not allowed. Send one of ${values.join(", ")}.`;
}

interface SchemaNode {
  type?: string;
  title?: string;
  properties?: Record<string, SchemaNode>;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  example?: unknown;
}

/** Describes what the schema allows. */
function rangeText({ parentSchema }: ErrorObject): string {
  const schema: SchemaNode = Object(parentSchema);
  switch (schema.type) {
    case "integer":
    case "number":
      return `Send a ${schema.type === "integer" ? "whole number" : "number"}${bounds(schema.minimum, schema.maximum)}.`;
    case "string":
      return `Send ${["a string", amount(schema.minLength, schema.maxLength, "character")].filter(Boolean).join(" of ")}.`;
    case "array":
      return `Send ${amount(schema.minItems, schema.maxItems, "entry", "entries") || "a list"}.`;
    case "object":
      return "Send a JSON object.";
    case "boolean":
      return "Send true or false.";
    default:
      return "See the operation's description for what is allowed.";
  }
}

/** "Send at least 2 of factor, brands." Names are said where the schema has them. */
function membersText({ parentSchema }: ErrorObject): string {
  const { minProperties, maxProperties, properties }: SchemaNode = Object(parentSchema);
  const names = Object.keys(properties ?? {}).join(", ");
  const count = amount(minProperties, maxProperties, "member");
  return `Send ${names ? `${count.replace(/ members?$/, "")} of ${names}` : count}.`;
}

function bounds(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max !== undefined ? ` of at most ${max}` : "";
}

/** "1 to 50 entries"; nothing if the schema has no bound. */
function amount(min: number | undefined, max: number | undefined, one: string, many = `${one}s`): string {
  const unit = (count: number) => `${count} ${count === 1 ? one : many}`;
  if (min !== undefined && max !== undefined) return `${min} to ${unit(max)}`;
  if (min !== undefined) return `at least ${unit(min)}`;
  return max !== undefined ? `at most ${unit(max)}` : "";
}

function hint({ parentSchema, params, keyword }: ErrorObject): string {
  const parent: SchemaNode = Object(parentSchema);
  const schema = keyword === "required" ? parent.properties?.[String(params.missingProperty)] : parent;
  if (schema?.example !== undefined) return `Send something like ${show(schema.example)}.`;
  if (schema?.type === "string" && schema.maxLength !== undefined) {
    return `Send ${amount(schema.minLength, schema.maxLength, "character")}, not only white space.`;
  }
  return schema?.type ? `Send ${article(schema.type)}.` : "See the operation's description for its form.";
}

function article(type: string): string {
  if (type === "integer") return "a whole number";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** The value as sent, shortened for the message. */
function show(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  const characters = Array.from(text);
  const cut =
    characters.length > shownCharacters ? `${characters.slice(0, shownCharacters).join("")}…` : text;
  return text === cut && /^[\w.:,[\]-]+$/.test(cut) ? cut : JSON.stringify(cut);
}
