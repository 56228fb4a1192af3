import type { AuditDetails } from "@product-search/core/ports/audit-log.ts";
import type { RuleDefinition, StoredRule } from "@product-search/core/ports/rule-store.ts";

/** Entries of the audit log are never deleted. */
const maxDetailBytes = 8000;

type Changes = Readonly<Record<string, unknown>>;

/** What differs between two versions of a rule, for the audit log; what is too long is counted, or only named. */
export function changesOfRule(former: RuleDefinition | undefined, next: RuleDefinition): AuditDetails {
  const before: Changes = { ...former };
  const after: Changes = { ...next };
  const members = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (member) => JSON.stringify(before[member]) !== JSON.stringify(after[member]),
  );
  const describe = (value: (before: unknown, after: unknown) => unknown) => ({
    changes: JSON.stringify(
      Object.fromEntries(members.map((member) => [member, value(before[member], after[member])])),
    ),
  });
  return firstShort([describe(differences), describe(counts)]) ?? { changes: members.join(",") };
}

/** The rules that have another place now, in their new order. */
export function changesOfOrder(former: readonly StoredRule[], ordered: readonly StoredRule[]): AuditDetails {
  const moved = ordered.filter(({ id }, at) => former[at]?.id !== id).map(({ id }) => id);
  return (
    firstShort([{ ids: moved.join(",") }]) ?? { moved: moved.length, first: moved.slice(0, 100).join(",") }
  );
}

function firstShort(details: readonly AuditDetails[]): AuditDetails | undefined {
  return details.find((one) => Buffer.byteLength(JSON.stringify(one)) <= maxDetailBytes);
}

function differences(before: unknown, after: unknown): unknown {
  if (!isList(before, after)) return { from: before, to: after };
  return { removed: missing(before, after), added: missing(after, before) };
}

function counts(before: unknown, after: unknown): unknown {
  if (!isList(before, after)) return typeof after === "string" ? { to: after } : {};
  return { removed: missing(before, after).length, added: missing(after, before).length };
}

function isList(before: unknown, after: unknown): boolean {
  return Array.isArray(before) || Array.isArray(after);
}

function missing(some: unknown, others: unknown): unknown[] {
  const kept = new Set(Array.isArray(others) ? others.map((one) => JSON.stringify(one)) : []);
  return Array.isArray(some) ? some.filter((one) => !kept.has(JSON.stringify(one))) : [];
}
