import type { Rule, RuleHistoryEntry } from "@product-search/client";
import { useState } from "react";
import {
  actionTexts,
  conditionText,
  differencesOf,
  formatTime,
} from "../../service/merchandising/rule-text.ts";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { ErrorNotice } from "../notice.tsx";

interface RuleHistoryProps {
  ruleId: string;
  onUse: (version: Rule) => void;
}

/** The versions of a rule, newest first, read when somebody asks for them. */
export function RuleHistory({ ruleId, onUse }: RuleHistoryProps) {
  const { client } = useService();
  const [isOpen, setOpen] = useState(false);
  const request = useRequest(isOpen ? ruleId : undefined, (signal) =>
    client.listRuleHistory(ruleId, { limit: 100 }, { signal }),
  );
  return (
    <details className="panel history" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>History</summary>
      {request.phase === "failed" && <ErrorNotice error={request.error} onRetry={request.retry} />}
      {request.phase === "loading" && <p className="muted">Loading…</p>}
      <ol className="stack small-gap">
        {request.response?.history.map((entry, index, all) => (
          <li key={entry.at} className="row spread">
            <div>
              <strong>{formatTime(entry.at)}</strong> <span className="tag">{changeTexts[entry.change]}</span>
              <p className="muted small-text">{entryText(entry, all[index + 1])}</p>
            </div>
            {index > 0 && (
              <button type="button" className="small" onClick={() => onUse(entry.rule)}>
                Use this version
                <span className="visually-hidden"> of {formatTime(entry.at)}</span>
              </button>
            )}
          </li>
        ))}
      </ol>
      {isOpen && <p className="hint">A version that you use is stored when you save it.</p>}
    </details>
  );
}

const changeTexts: Record<RuleHistoryEntry["change"], string> = {
  created: "created",
  replaced: "changed",
  deleted: "deleted",
};

/** What a change did, compared with the version before it; the first one as a whole. */
function entryText({ change, rule }: RuleHistoryEntry, before: RuleHistoryEntry | undefined): string {
  if (change !== "replaced" || !before) return [conditionText(rule), ...actionTexts(rule)].join(" → ");
  const differences = differencesOf(before.rule, rule).map(
    (one) => `${one.member}: ${one.before || "–"} → ${one.after || "–"}`,
  );
  return differences.join("; ") || "no difference";
}
