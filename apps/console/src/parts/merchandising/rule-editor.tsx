import {
  isProductSearchError,
  type Rule,
  type RuleHistoryEntry,
  type RuleRequest,
} from "@product-search/client";
import { type ReactNode, useEffect, useId, useState } from "react";
import { hasCondition, type RuleDraft, toDraft, toRequest } from "../../service/merchandising/rule-draft.ts";
import {
  actionTexts,
  conditionText,
  differencesOf,
  formatTime,
} from "../../service/merchandising/rule-text.ts";
import { useCatalogValues } from "../../service/search/use-catalog.ts";
import { useService } from "../../service/service-context.tsx";
import { useLeaveWarning } from "../../service/use-page-title.ts";
import { useRequest } from "../../service/use-request.ts";
import { ErrorNotice } from "../notice.tsx";
import { RuleActions, ValueList } from "./rule-actions.tsx";
import { RulePreview } from "./rule-preview.tsx";

interface RuleHistoryProps {
  ruleId: string;
  onUse: (version: Rule) => void;
}

/** The versions of a rule, newest first, read when somebody asks for them. */
function RuleHistory({ ruleId, onUse }: RuleHistoryProps) {
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

/** What was not saved when somebody went to another screen, by the rule; while this page is open. */
const unsaved = new Map<string, RuleDraft>();

interface RuleEditorProps {
  /** Absent while the rule is a new one. */
  rule?: Rule | undefined;
  initial: RuleDraft;
  onSaved: (rule: Rule) => void;
  onCancel: () => void;
}

/** A rule as a form, with its effect beside it before anything is stored. */
export function RuleEditor({ rule, initial, onSaved, onCancel }: RuleEditorProps) {
  const { client } = useService();
  const key = rule?.id ?? "new";
  const [draft, setDraft] = useState(() => unsaved.get(key) ?? initial);
  const [wasKept] = useState(() => unsaved.has(key));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [stored, setStored] = useState<Rule>();
  const isChanged = JSON.stringify(draft) !== JSON.stringify(initial);
  useLeaveWarning(isChanged);
  useEffect(() => {
    if (isChanged) unsaved.set(key, draft);
    else unsaved.delete(key);
  }, [isChanged, key, draft]);
  // It opens where the list was scrolled to.
  useEffect(() => {
    scrollTo(0, 0);
  }, []);
  const change = (part: Partial<RuleDraft>) => setDraft((previous) => ({ ...previous, ...part }));

  const done = (saved: Rule) => {
    unsaved.delete(key);
    onSaved(saved);
  };
  async function save(updatedAt: string | undefined) {
    setBusy(true);
    setError(undefined);
    setStored(undefined);
    try {
      const request = toRequest(draft);
      const saved =
        rule && updatedAt
          ? await client.replaceRule(rule.id, { ...request, updatedAt })
          : await client.createRule(request);
      done(saved.rule);
    } catch (failure) {
      if (rule && isProductSearchError(failure) && failure.code === "rule_changed")
        await readStored(rule.id).catch(setError);
      else setError(failure);
    } finally {
      setBusy(false);
    }
  }
  async function readStored(id: string) {
    const { rules } = await client.listRules();
    setStored(rules.find((one) => one.id === id));
  }
  const isGone = isProductSearchError(error) && error.code === "rule_not_found";
  return (
    <div className="rule-editor">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void save(rule?.updatedAt);
        }}
      >
        <h2 className="editor-title">{rule ? `Rule “${rule.name}”` : "New rule"}</h2>
        {wasKept && isChanged && (
          <div className="notice panel row spread" role="status">
            <span>Your unsaved changes are back.</span>
            <button type="button" className="small" onClick={() => setDraft(initial)}>
              Discard them
            </button>
          </div>
        )}
        <ConditionFields draft={draft} onChange={change} />
        <RuleActions draft={draft} onChange={change} />
        <GeneralFields draft={draft} onChange={change} />
        {stored && (
          <RuleConflict
            stored={stored}
            mine={toRequest(draft)}
            onOverwrite={() => save(stored.updatedAt)}
            onTakeStored={() => done(stored)}
          />
        )}
        {error !== undefined && <ErrorNotice error={error} onRetry={() => save(rule?.updatedAt)} />}
        <div className="form-foot">
          {!hasCondition(draft) && <p className="hint">Say when the rule applies to save it.</p>}
          <div className="row">
            <button type="submit" className="primary" disabled={busy || !hasCondition(draft)}>
              {busy ? "Saving…" : "Save rule"}
            </button>
            <button
              type="button"
              onClick={() => {
                unsaved.delete(key);
                onCancel();
              }}
            >
              {isChanged ? "Discard changes" : "Back"}
            </button>
            <a href="#rule-preview" className="to-preview">
              Preview
            </a>
            {isGone && (
              <button type="button" disabled={busy} onClick={() => save(undefined)}>
                Save as a new rule
              </button>
            )}
          </div>
        </div>
        {rule && <RuleHistory ruleId={rule.id} onUse={(version) => setDraft(toDraft(version))} />}
      </form>
      <RulePreview draft={draft} ruleId={rule?.id} onChange={change} />
    </div>
  );
}

interface FieldsProps {
  draft: RuleDraft;
  onChange: (part: Partial<RuleDraft>) => void;
}

const matches = [
  ["is", "is exactly"],
  ["contains", "contains"],
] as const;

function ConditionFields({ draft, onChange }: FieldsProps) {
  const id = useId();
  const { categories } = useCatalogValues();
  return (
    <fieldset className="panel stack">
      <legend className="panel-title">When</legend>
      <fieldset className="segmented">
        <legend>The search text</legend>
        {matches.map(([match, text]) => (
          <label key={match}>
            <input
              type="radio"
              name={`${id}-match`}
              checked={draft.match === match}
              onChange={() => onChange({ match })}
            />
            <span>{text}</span>
          </label>
        ))}
      </fieldset>
      <div>
        <label htmlFor={`${id}-query`} className="visually-hidden">
          Search text
        </label>
        <input
          id={`${id}-query`}
          className="wide"
          value={draft.query}
          maxLength={512}
          placeholder={categories[0]?.value.toLowerCase() ?? "running shoes"}
          onChange={(event) => onChange({ query: event.target.value })}
        />
        <p className="hint">Case, accents and punctuation do not matter.</p>
      </div>
      <ValueList
        label="Or the category filter is one of (optional)"
        values={draft.categories}
        options={categories}
        onChange={(values) => onChange({ categories: values })}
      />
      {draft.query.trim() !== "" && draft.categories.length > 0 && (
        <p className="hint">Both must hold: the text and the category filter.</p>
      )}
    </fieldset>
  );
}

function GeneralFields({ draft, onChange }: FieldsProps) {
  const id = useId();
  const field = (name: "from" | "until", label: string): ReactNode => (
    <div>
      <label htmlFor={`${id}-${name}`} className="small-text">
        {label}
      </label>
      <input
        id={`${id}-${name}`}
        type="datetime-local"
        className="wide"
        value={draft[name]}
        onChange={(event) => onChange({ [name]: event.target.value })}
      />
    </div>
  );
  return (
    <fieldset className="panel stack">
      <legend className="panel-title">Name and time</legend>
      <div>
        <label htmlFor={`${id}-name`} className="small-text">
          Name, for your team (optional)
        </label>
        <input
          id={`${id}-name`}
          className="wide"
          value={draft.name}
          maxLength={200}
          placeholder={draft.query.trim() || draft.categories[0] || "Winter sale"}
          onChange={(event) => onChange({ name: event.target.value })}
        />
      </div>
      <div className="two-fields">
        {field("from", "From (optional)")}
        {field("until", "Until (optional)")}
      </div>
      <label className="line">
        <input
          type="checkbox"
          checked={draft.enabled}
          onChange={(event) => onChange({ enabled: event.target.checked })}
        />
        The rule is on
      </label>
    </fieldset>
  );
}

interface RuleConflictProps {
  /** The rule as somebody else has stored it meanwhile. */
  stored: Rule;
  mine: RuleRequest;
  onOverwrite: () => void;
  onTakeStored: () => void;
}

/** Two people have changed a rule: shows what differs, and lets the second one decide. */
function RuleConflict({ stored, mine, onOverwrite, onTakeStored }: RuleConflictProps) {
  const differences = differencesOf(stored, mine);
  return (
    <div className="notice panel error" role="alert">
      <h2>Somebody else has changed this rule</h2>
      <p>
        It was saved at {formatTime(stored.updatedAt)}, after you opened it. Nothing of yours is stored yet,
        and nothing is lost.
      </p>
      {differences.length === 0 ? (
        <p>Their version and yours are the same.</p>
      ) : (
        <ComparisonTable columns={["Saved by them", "Yours"]} differences={differences} />
      )}
      <div className="row">
        <button type="button" onClick={onTakeStored}>
          Keep theirs
        </button>
        <button type="button" className="danger" onClick={onOverwrite}>
          Save mine instead
        </button>
      </div>
    </div>
  );
}

interface ComparisonTableProps {
  columns: readonly [before: string, after: string];
  differences: ReturnType<typeof differencesOf>;
}

/** What differs between two versions of a rule. */
export function ComparisonTable({ columns: [before, after], differences }: ComparisonTableProps) {
  return (
    <table className="comparison">
      <thead>
        <tr>
          <td />
          <th scope="col">{before}</th>
          <th scope="col">{after}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map((one) => (
          <tr key={one.member}>
            <th scope="row">{one.member}</th>
            <td>{one.before || "–"}</td>
            <td>{one.after || "–"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
