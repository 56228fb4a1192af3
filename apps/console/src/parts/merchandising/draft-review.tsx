import type { Rule } from "@product-search/client";
import { useState } from "react";
import {
  type Change,
  emptyDraft,
  keyOf,
  type RuleChange,
  withChange,
  withoutChange,
} from "../../service/merchandising/changes.ts";
import { changesOfFile, exportRules, publish, readRulesFile } from "../../service/merchandising/draft.ts";
import { differencesOf, formatTime } from "../../service/merchandising/rule-text.ts";
import { useDraft } from "../../service/merchandising/use-draft.ts";
import { useProductNames } from "../../service/merchandising/use-product-by-id.ts";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { DownloadButton } from "../copy-button.tsx";
import { EmptyNotice, ErrorNotice } from "../notice.tsx";
import { ComparisonTable } from "./rule-editor.tsx";
import { shownRule } from "./synonym-list.tsx";

/** What is not published yet: each change with what it changes, and all of them published, or taken back, together. */
export function DraftReview() {
  const { client, token } = useService();
  const [{ changes, published }, changeDraft] = useDraft();
  const list = useRequest(`rules ${token}`, (signal) => client.listRules({ signal }));
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const nameOf = useProductNames(changes.flatMap(productIdsOf));

  async function run(next: readonly Change[], isUndo: boolean) {
    setBusy(true);
    setError(undefined);
    try {
      const inverse = await publish(client, next);
      changeDraft((draft) => ({
        changes: isUndo ? draft.changes : [],
        ...(!isUndo && { published: { at: new Date().toISOString(), inverse } }),
      }));
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
    list.retry();
  }
  const put = (change: Change) =>
    changeDraft((draft) => ({ ...draft, changes: withChange(draft.changes, change) }));
  const drop = (change: Change) =>
    changeDraft((draft) => ({ ...draft, changes: withoutChange(draft.changes, keyOf(change)) }));
  return (
    <section className="stack" aria-labelledby="draft-title">
      <h2 id="draft-title" className="visually-hidden">
        Draft
      </h2>
      <div className="row spread" role="status">
        {published ? (
          <p className="list-message row">
            Published {formatTime(published.at)}.
            <button
              type="button"
              className="small"
              disabled={isBusy}
              onClick={() => run(published.inverse, true)}
            >
              Undo
            </button>
          </p>
        ) : (
          <span />
        )}
        <div className="row">
          <button
            type="button"
            className="primary"
            disabled={isBusy || changes.length === 0}
            onClick={() => run(changes, false)}
          >
            {isBusy ? "Publishing…" : publishText(changes.length)}
          </button>
          <button
            type="button"
            disabled={isBusy || changes.length === 0}
            onClick={() =>
              changeDraft((draft) => ({
                ...emptyDraft,
                ...(draft.published && { published: draft.published }),
              }))
            }
          >
            Discard all
          </button>
        </div>
      </div>
      {error !== undefined && (
        <>
          <p>Nothing was published: what came before the fault was taken back.</p>
          <ErrorNotice error={error} onRetry={() => setError(undefined)} />
        </>
      )}
      {changes.length === 0 && (
        <EmptyNotice title="The draft is empty">
          <p>Search for something and choose “Change these results”, or import rules from a file.</p>
        </EmptyNotice>
      )}
      <ul className="stack">
        {changes.map((change) => (
          <ChangeItem
            key={keyOf(change)}
            change={change}
            stored={list.response?.rules}
            nameOf={nameOf}
            onDrop={() => drop(change)}
            onPut={put}
          />
        ))}
      </ul>
      <RulesExchange />
    </section>
  );
}

function publishText(count: number): string {
  if (count === 0) return "Publish";
  return count === 1 ? "Publish 1 change" : `Publish all ${count} changes`;
}

function productIdsOf(change: Change): string[] {
  if (change.kind !== "rule") return [];
  return [change.before, change.after].flatMap((rule) => [
    ...(rule?.pin ?? []).map(({ productId }) => productId),
    ...(rule?.hide ?? []),
  ]);
}

interface ChangeItemProps {
  change: Change;
  /** The rules as they are now, once they are known. */
  stored: readonly Rule[] | undefined;
  nameOf: (productId: string) => string;
  onDrop: () => void;
  onPut: (change: Change) => void;
}

function ChangeItem({ change, stored, nameOf, onDrop, onPut }: ChangeItemProps) {
  const title = titleOf(change);
  const differences = change.kind === "rule" ? differencesOf(change.before, change.after, nameOf) : [];
  const rival = change.kind === "rule" ? rivalOf(change, stored) : undefined;
  return (
    <li className="panel stack small-gap">
      <div className="row spread nowrap">
        <h3 dir="auto">{title}</h3>
        <button type="button" className="small" onClick={onDrop}>
          Remove<span className="visually-hidden"> from the draft: {title}</span>
        </button>
      </div>
      {rival && change.kind === "rule" && (
        <p className="row">
          <span className="field-fault">
            {rival === "deleted"
              ? "Somebody has deleted this rule since."
              : "Somebody has changed this rule since."}
          </span>
          <button
            type="button"
            className="small"
            onClick={() => {
              const { before: _before, ...others } = change;
              onPut(rival === "deleted" ? others : { ...change, before: rival });
            }}
          >
            {rival === "deleted" ? "Make it a new rule" : "Compare with the rule as it is now"}
          </button>
        </p>
      )}
      {differences.length > 0 && (
        <div className="table-frame">
          <ComparisonTable columns={["Now", "Draft"]} differences={differences} />
        </div>
      )}
    </li>
  );
}

function titleOf(change: Change): string {
  if (change.kind === "order") return "The order of the rules";
  if (change.kind === "synonym")
    return `${change.isRemoved ? "Remove" : "Add"} the synonym “${shownRule(change.rule)}”`;
  const { before, after } = change;
  const verb = before ? (after ? "Change" : "Delete") : "New";
  return `${verb} rule “${(after ?? before)?.name}”`;
}

/** The rule as somebody else has stored it since this change was begun. */
function rivalOf(
  { id, before }: RuleChange,
  stored: readonly Rule[] | undefined,
): Rule | "deleted" | undefined {
  if (!before || !stored) return undefined;
  const now = stored.find((rule) => rule.id === id);
  if (!now) return "deleted";
  return now.updatedAt === before.updatedAt ? undefined : now;
}

/** All rules as one file, to take them from one installation to another; what the file changes comes into the draft. */
function RulesExchange() {
  const { client } = useService();
  const [, changeDraft] = useDraft();
  const [isWhole, setWhole] = useState(false);
  const [message, setMessage] = useState("");

  async function read(file: File) {
    try {
      const rulesFile = readRulesFile(await file.text());
      const [{ rules }, { synonyms }] = await Promise.all([client.listRules(), client.listSynonyms({})]);
      const changes = changesOfFile(rulesFile, { rules, synonyms }, isWhole);
      changeDraft((draft) => ({ ...draft, changes }));
      setMessage(
        changes.length === 0 ? "Nothing differs from this file." : "What the file changes is the draft now.",
      );
    } catch (failure) {
      setMessage(failure instanceof Error ? failure.message : "The file could not be read.");
    }
  }
  return (
    <section className="panel stack small-gap" aria-labelledby="exchange-title">
      <h3 id="exchange-title">From one installation to another</h3>
      <div className="row">
        <DownloadButton name="rules.json" type="application/json" read={() => exportRules(client)}>
          Export all rules
        </DownloadButton>
        <label className="file-button">
          Import a file
          <input
            type="file"
            accept="application/json,.json"
            className="visually-hidden"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              target.value = "";
              if (file) void read(file);
            }}
          />
        </label>
        <label className="line">
          <input type="checkbox" checked={isWhole} onChange={(event) => setWhole(event.target.checked)} />
          Delete what the file does not have
        </label>
      </div>
      <p className="hint" role="status">
        {message || "An import is a draft first: you see what it changes before you publish it."}
      </p>
    </section>
  );
}
