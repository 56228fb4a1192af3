import type { CatalogAddress } from "../search/catalog-address.ts";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";
import { withChange, withoutChange } from "./changes.ts";
import { emptyDraft, type RuleDraft, toDraft, toRequest } from "./rule-draft.ts";
import { useDraft } from "./use-draft.ts";

/** The rule of one page of results, as the draft has it. */
export interface Desk {
  rule: RuleDraft;
  ruleId: string | undefined;
  change(part: Partial<RuleDraft>): void;
  list: { phase: string; error?: unknown; retry: () => void };
}

/** A rule acts on a text or a category: other results have none. */
export function canBeArranged({ q, categories }: CatalogAddress): boolean {
  return q.trim() !== "" || categories.length > 0;
}

/** The rule that acts on exactly this search, or a new one. Each change of it is in the draft at once. */
export function useDesk({ q, categories }: CatalogAddress, isOn: boolean): Desk {
  const { client, token } = useService();
  const [draft, changeDraft] = useDraft();
  const list = useRequest(isOn ? `rules ${token}` : undefined, (signal) => client.listRules({ signal }));
  const query = q.trim();
  const isOfPage = (when: { query?: string; match?: string; categories?: readonly string[] } | undefined) =>
    when?.match !== "contains" &&
    (when?.query ?? "").toLowerCase() === query.toLowerCase() &&
    (when?.categories ?? []).toSorted().join() === categories.toSorted().join();
  const drafted = draft.changes.find((change) => change.kind === "rule" && isOfPage(change.after?.when));
  const change = drafted?.kind === "rule" ? drafted : undefined;
  const stored = change?.before ?? list.response?.rules.find((rule) => rule.enabled && isOfPage(rule.when));
  const shown = change?.after ?? stored;
  const rule = shown ? toDraft(shown) : { ...emptyDraft, query, categories };
  return {
    rule,
    ruleId: stored?.id,
    change(part) {
      const id = stored?.id ?? change?.id ?? `new ${crypto.randomUUID()}`;
      const after = toRequest({ ...rule, ...part });
      const isEmpty =
        !stored && Object.keys(after).every((name) => ["name", "enabled", "when"].includes(name));
      changeDraft(({ changes, ...rest }) => ({
        ...rest,
        changes: isEmpty
          ? withoutChange(changes, id)
          : withChange(changes, { kind: "rule", id, after, ...(stored && { before: stored }) }),
      }));
    },
    list,
  };
}
