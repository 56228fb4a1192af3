import { isDeepStrictEqual } from "node:util";
import type { OpenApiDocument, Schema } from "./document.ts";

/** Whether partners send a value or receive it: what is harmless in one direction breaks in the other. */
export type Direction = "sent" | "received";

/** A change that breaks, where it is, and what to do instead. */
export interface Change {
  place: string;
  fault: string;
  remedy: string;
}

type Keywords = Readonly<Record<string, unknown>>;

/** Counts what only the later document has. */
export interface Additions {
  parameters: number;
  fields: number;
}

/** Where two schemas stand: the name of a published schema with a path in it, or the part of an operation. */
interface Position {
  place: string;
  direction: Direction;
  /** The operation or published schema that reports are about. */
  owner: string;
}

export interface SchemaComparison {
  compare(before: Schema, after: Schema, position: Position): void;
  /** The published schemas that were compared, by name. */
  names(): ReadonlySet<string>;
  /** The operations that send or receive what an owner describes. */
  usersOf(owner: string): string[];
}

/** Clients are told to expect more of these: codes of errors, and kinds of events. */
const isOpenEnum = (place: string) => / › code$|Code$/.test(place);
const isOpenUnion = (place: string) => place.endsWith("Event");

/** Keywords that say nothing about which values are allowed. */
const annotations = new Set([
  "title",
  "description",
  "example",
  "examples",
  "externalDocs",
  "deprecated",
  "xml",
]);

/** These are compared by their parts. */
const structure = new Set(["properties", "required", "additionalProperties", "items", "oneOf"]);

/** By keyword: whether a change from one value to another allows less (`narrower`), and whether it allows more. */
type Rule = (before: unknown, after: unknown) => { narrower: boolean; wider: boolean };

const upperBound: Rule = (before, after) => {
  const [from, to] = [Number(before ?? Infinity), Number(after ?? Infinity)];
  return { narrower: to < from, wider: to > from };
};
const lowerBound =
  (least: number): Rule =>
  (before, after) => {
    const [from, to] = [Number(before ?? least), Number(after ?? least)];
    return { narrower: to > from, wider: to < from };
  };
/** A keyword that allows less when it is there. Two values of it cannot be compared. */
const restriction: Rule = (before, after) => ({
  narrower: after !== undefined,
  wider: before !== undefined,
});
const flag =
  (allows: "less" | "more"): Rule =>
  (before, after) => {
    const isTurnedOn = before !== true && after === true;
    const isTurnedOff = before === true && after !== true;
    return allows === "less"
      ? { narrower: isTurnedOn, wider: isTurnedOff }
      : { narrower: isTurnedOff, wider: isTurnedOn };
  };
const multiple: Rule = (before, after) => ({
  narrower: after !== undefined && !(Number(before) % Number(after) === 0),
  wider: before !== undefined && !(Number(after) % Number(before) === 0),
});
const typeName: Rule = (before, after) => {
  if (before === "integer" && after === "number") return { narrower: false, wider: true };
  if (before === "number" && after === "integer") return { narrower: true, wider: false };
  return restriction(before, after);
};

const rules: Readonly<Record<string, Rule>> = {
  type: typeName,
  format: restriction,
  pattern: restriction,
  nullable: flag("more"),
  uniqueItems: flag("less"),
  exclusiveMinimum: flag("less"),
  exclusiveMaximum: flag("less"),
  multipleOf: multiple,
  maximum: upperBound,
  maxLength: upperBound,
  maxItems: upperBound,
  maxProperties: upperBound,
  minimum: lowerBound(-Infinity),
  minLength: lowerBound(0),
  minItems: lowerBound(0),
  minProperties: lowerBound(0),
};

const consequences = {
  sent: "Requests that were allowed are refused.",
  received: "Partners get values that they were promised not to get.",
} as const;

/** Compares schemas where they are sent or received. A published schema is compared once for each direction. */
export function createSchemaComparison(
  { before: released, after: candidate }: { before: OpenApiDocument; after: OpenApiDocument },
  report: (owner: string, change: Change) => void,
  additions: Additions,
): SchemaComparison {
  const compared = new Set<string>();
  const names = new Set<string>();
  const users = new Map<string, Set<string>>();

  function compare(before: Schema, after: Schema, position: Position): void {
    const [name, nextName] = [nameOf(before), nameOf(after)];
    if (name === undefined || nextName === undefined) {
      compareUnion(before, after, position);
      return;
    }
    const owner = `${name} as ${nextName}, ${position.direction}`;
    users.set(owner, (users.get(owner) ?? new Set()).add(position.owner));
    if (compared.has(owner)) return;
    compared.add(owner);
    names.add(name);
    const [from, to] = [flatten(before, released), flatten(after, candidate)];
    compareUnion(from, to, { ...position, owner, place: `schema ${name}` });
  }

  function compareUnion(before: Schema, after: Schema, position: Position): void {
    const [from, to] = [flatten(before, released), flatten(after, candidate)];
    const [members, nextMembers] = [from.oneOf, to.oneOf];
    const isUnion = members !== undefined || nextMembers !== undefined;
    if (!isUnion || (members && nextMembers)) compareFlat(from, to, position);
    if (!isUnion) return;
    const remaining = [...(nextMembers ?? [after])];
    for (const member of members ?? [before]) {
      const pair = remaining.find((other) => nameOf(other) === nameOf(member));
      if (pair === undefined) {
        tell(position, "a kind of value was removed.", "Keep it.");
        continue;
      }
      remaining.splice(remaining.indexOf(pair), 1);
      compare(member, pair, position);
    }
    if (remaining.length > 0 && position.direction === "received" && !isOpenUnion(position.place))
      tell(position, "a kind of value was added to what partners receive.", "Send it in a new field.");
  }

  function compareFlat(before: Schema, after: Schema, position: Position): void {
    const [from, to]: [Keywords, Keywords] = [{ ...before }, { ...after }];
    for (const keyword of new Set([...Object.keys(from), ...Object.keys(to)])) {
      if (annotations.has(keyword) || structure.has(keyword) || keyword.startsWith("x-")) continue;
      const [values, nextValues] = [before["x-values"], after["x-values"]];
      if (keyword === "pattern" && values && nextValues && aroundValues(before) === aroundValues(after))
        compareEnum(values, nextValues, position);
      else if (!isDeepStrictEqual(from[keyword], to[keyword]))
        compareKeyword(keyword, [from[keyword], to[keyword]], position);
    }
    compareProperties(before, after, position);
    compareOtherProperties(before.additionalProperties, after.additionalProperties, position);
    if (before.items && after.items)
      compare(before.items, after.items, { ...position, place: `${position.place} › []` });
    else if ((position.direction === "sent" ? after.items : before.items) !== undefined)
      tell(position, "what the list holds changed.", "Keep it, or add a new field.");
  }

  function compareKeyword(keyword: string, [before, after]: [unknown, unknown], position: Position): void {
    const { direction, place } = position;
    const change = `${keyword} changed from ${show(before)} to ${show(after)}.`;
    if (keyword === "enum") {
      compareEnum(before, after, position);
      return;
    }
    if (keyword === "default") {
      if (direction === "sent")
        tell(position, `${change} A request without it means something else.`, `Keep ${show(before)}.`);
      return;
    }
    const rule = rules[keyword];
    if (rule === undefined) {
      tell(position, `${change} This check cannot judge it.`, "Keep it, or add a new field.");
      return;
    }
    const { narrower, wider } = rule(before, after);
    if (direction === "sent" ? !narrower : !wider) return;
    const kind = place.includes("›") ? "add a new field" : "add a new parameter or field";
    tell(position, `${change} ${consequences[direction]}`, `Keep ${show(before)}, or ${kind}.`);
  }

  function compareEnum(before: unknown, after: unknown, position: Position): void {
    const [words, nextWords] = [toList(before), toList(after)];
    const removed = words?.filter((word) => !nextWords?.includes(word)) ?? [];
    const added = nextWords?.filter((word) => !words?.includes(word)) ?? [];
    if (nextWords && removed.length > 0)
      tell(position, `the values ${show(removed)} were removed.`, "Keep them, also if they become rare.");
    if (position.direction === "sent" && words === undefined)
      tell(position, `only ${show(added)} are allowed now. ${consequences.sent}`, "Allow all values.");
    if (position.direction === "sent" || isOpenEnum(position.place)) return;
    if (nextWords === undefined)
      tell(position, `other values than ${show(removed)} may come.`, "Keep the list of values.");
    else if (words && added.length > 0)
      tell(position, `the values ${show(added)} were added to what partners receive.`, "Use a new field.");
  }

  function compareProperties(before: Schema, after: Schema, position: Position): void {
    const { direction, place } = position;
    const { properties = {}, required = [] } = before;
    const { properties: nextProperties = {}, required: nextRequired = [] } = after;
    for (const [name, property] of Object.entries(properties)) {
      const inner = { ...position, place: `${place} › ${name}` };
      const next = nextProperties[name];
      if (next !== undefined) compare(property, next, inner);
      else
        tell(
          inner,
          direction === "sent"
            ? "the field was removed from what partners send. Requests that have it are refused."
            : "the field was removed from what partners receive.",
          "Keep the field; to end it, deprecate it.",
        );
    }
    additions.fields += Object.keys(nextProperties).filter((name) => !(name in properties)).length;
    if (direction === "sent")
      for (const name of nextRequired.filter((name) => !required.includes(name)))
        tell(
          { ...position, place: `${place} › ${name}` },
          `the field became required. ${consequences.sent}`,
          "Make it optional, and give it a default.",
        );
    else
      for (const name of required.filter((name) => !nextRequired.includes(name) && name in nextProperties))
        tell(
          { ...position, place: `${place} › ${name}` },
          "the field is no longer promised (required).",
          "Keep it in `required`, and always send it.",
        );
  }

  function compareOtherProperties(
    before: Schema | boolean = true,
    after: Schema | boolean = true,
    position: Position,
  ): void {
    const { direction } = position;
    if (typeof before === "object" && typeof after === "object") {
      compare(before, after, { ...position, place: `${position.place} › *` });
      return;
    }
    if (isDeepStrictEqual(before, after)) return;
    if (direction === "sent" ? before !== false && after !== true : typeof before === "object")
      tell(
        position,
        `additionalProperties changed from ${show(before)} to ${show(after)}. ${consequences[direction]}`,
        `Keep ${show(before)}.`,
      );
  }

  function tell({ owner, place }: Position, fault: string, remedy: string): void {
    report(owner, { place, fault, remedy });
  }

  function usersOf(owner: string, seen = new Set<string>()): string[] {
    const direct = users.get(owner);
    if (direct === undefined) return [owner];
    if (seen.has(owner)) return [];
    seen.add(owner);
    return [...new Set([...direct].flatMap((user) => usersOf(user, seen)))];
  }

  return { compare, names: () => names, usersOf: (owner) => usersOf(owner) };
}

/** What a pattern says besides the values that it lists. */
function aroundValues({ pattern, "x-values": values = [] }: Schema): string | undefined {
  return values.length === 0 ? pattern : pattern?.replace(values.join("|"), "");
}

function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split("/").at(-1);
}

/** A schema without a reference, and with the members of `allOf` as one. */
function flatten(schema: Schema, document: OpenApiDocument): Schema {
  const name = nameOf(schema);
  if (name !== undefined) {
    const target = document.components.schemas[name];
    if (target === undefined) throw new Error(`${schema.$ref} leads nowhere.`);
    return flatten(target, document);
  }
  const { allOf, ...rest } = schema;
  return (allOf ?? []).map((member) => flatten(member, document)).reduceRight(merge, rest);
}

function merge(one: Schema, other: Schema): Schema {
  const merged: Schema = { ...other, ...one };
  if (one.required && other.required) merged.required = [...new Set([...other.required, ...one.required])];
  if (one.properties && other.properties) {
    const both = Object.entries(other.properties).map(([name, schema]): [string, Schema] => {
      const own = one.properties?.[name];
      return [name, own ? { allOf: [schema, own] } : schema];
    });
    merged.properties = { ...one.properties, ...Object.fromEntries(both) };
  }
  return merged;
}

function toList(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function show(value: unknown): string {
  if (value === undefined) return "none";
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
