import { membersField } from "../cluster/write-entries.ts";
import type { Clause } from "./compile-reading.ts";

export function memberField(field: string): string {
  return `${membersField}.${field}`;
}

/** Groups that have a member for which all clauses hold. */
export function hasMember(clauses: readonly Clause[]): Clause {
  return { nested: { path: membersField, query: { bool: { filter: clauses.map(asMember) } } } };
}

/** A condition on products as one on members of groups, which have the same fields. */
export function asMember(clause: Clause): Clause {
  const [kind = "", body] = Object.entries(clause)[0] ?? [];
  switch (kind) {
    case "match_all":
    case "match_none":
      return { [kind]: body };
    case "ids":
      return { terms: { [memberField("rowId")]: entriesOf(body).flatMap(([, ids]) => ids) } };
    case "bool":
      return { bool: Object.fromEntries(entriesOf(body).map(([name, part]) => [name, inBool(part)])) };
    case "exists":
      return {
        exists: Object.fromEntries(entriesOf(body).map(([key, field]) => [key, memberField(String(field))])),
      };
    case "term":
    case "terms":
    case "range":
      return {
        [kind]: Object.fromEntries(entriesOf(body).map(([field, value]) => [memberField(field), value])),
      };
    default:
      throw new Error(`There is no condition "${kind}" on members.`);
  }
}

/** Clauses, or a number such as `minimum_should_match`. */
function inBool(part: unknown): unknown {
  return Array.isArray(part) ? part.map((one) => asMember(Object.fromEntries(entriesOf(one)))) : part;
}

function entriesOf(body: unknown): [string, unknown][] {
  return typeof body === "object" && body !== null ? Object.entries(body) : [];
}
