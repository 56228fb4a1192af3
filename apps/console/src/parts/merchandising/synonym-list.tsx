import type { Synonym } from "@product-search/client";
import { useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { formatCount } from "../../service/format.ts";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { PanelSkeleton } from "../elements.tsx";
import { EmptyNotice, ErrorNotice } from "../notice.tsx";

const order: Record<Synonym["origin"], number> = { added: 0, removed: 1, included: 2 };
const originTexts: Record<Synonym["origin"], string> = {
  added: "added",
  included: "included",
  removed: "removed",
};

/** With an arrow, as people write it; stored as `=>`. */
export function shownRule(rule: string): string {
  return rule.replaceAll(" => ", " → ");
}

export function storedRule(text: string): string {
  return text.trim().replaceAll(/\s*→\s*/g, " => ");
}

/** The rules for synonyms: those of the team first, then those that come with the service. */
export function SynonymList({ start }: { start: string }) {
  const id = useId();
  const { client, token } = useService();
  const list = useRequest(token || undefined, (signal) => client.listSynonyms({}, { signal }));
  const [filter, setFilter] = useState("");
  const shownFilter = useDeferredValue(filter).trim().toLowerCase();
  const [message, setMessage] = useState<{ text: string; undo?: () => void }>({ text: "" });
  const [error, setError] = useState<unknown>();

  async function act(work: () => Promise<void>, text: string, undo?: () => void) {
    setError(undefined);
    try {
      await work();
      setMessage({ text, ...(undo && { undo }) });
    } catch (failure) {
      setError(failure);
    }
    list.retry();
  }
  const add = (rule: string) =>
    act(
      async () => {
        await client.addSynonym({ rule });
      },
      `“${shownRule(rule)}” applies within two seconds.`,
    );
  const remove = (rule: string) =>
    act(
      async () => {
        await client.deleteSynonym({ rule });
      },
      `“${shownRule(rule)}” is removed.`,
      () => void add(rule),
    );
  /** The new one first: if the service refuses it, the old one still applies. */
  const replace = (former: string, rule: string) =>
    act(
      async () => {
        if (rule === former) return;
        await client.addSynonym({ rule });
        await client.deleteSynonym({ rule: former });
      },
      `“${shownRule(rule)}” applies within two seconds.`,
    );

  if (list.phase === "failed") return <ErrorNotice error={list.error} onRetry={list.retry} />;
  const all = list.response?.synonyms;
  const shown = (all ?? [])
    .filter(({ rule }) => shownRule(rule).toLowerCase().includes(shownFilter))
    .toSorted((one, other) => order[one.origin] - order[other.origin]);
  const addedCount = (all ?? []).filter(({ origin }) => origin === "added").length;
  return (
    <div className="stack">
      <SynonymForm start={start} onAdd={add} />
      {error !== undefined && <ErrorNotice error={error} onRetry={() => setError(undefined)} />}
      <div className="list-tools row">
        <label htmlFor={`${id}-filter`} className="visually-hidden">
          Find a synonym
        </label>
        <input
          id={`${id}-filter`}
          type="search"
          placeholder="Find a synonym"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        {all && (
          <span className="muted small-text">
            {formatCount(addedCount)} added, {formatCount(all.length - addedCount)} included
          </span>
        )}
        <p role="status" className="list-message row">
          {message.text}
          {message.undo && (
            <button type="button" className="small" onClick={message.undo}>
              Undo
            </button>
          )}
        </p>
      </div>
      {!all && <PanelSkeleton />}
      {all && shown.length === 0 && (
        <EmptyNotice title={`No synonym has “${shownFilter}”`}>
          <p>Add one above.</p>
        </EmptyNotice>
      )}
      <ul className="synonyms">
        {shown.map((synonym) => (
          <SynonymRow
            key={`${synonym.origin} ${synonym.rule}`}
            synonym={synonym}
            onAdd={add}
            onRemove={remove}
            onReplace={replace}
          />
        ))}
      </ul>
    </div>
  );
}

function SynonymForm({ start, onAdd }: { start: string; onAdd: (rule: string) => Promise<void> }) {
  const id = useId();
  const [text, setText] = useState(start);
  const field = useRef<HTMLInputElement>(null);
  // Somebody came here to end what another screen began.
  useEffect(() => {
    if (start === "") return;
    field.current?.focus();
    field.current?.setSelectionRange(start.length, start.length);
  }, [start]);
  return (
    <form
      className="panel stack small-gap"
      onSubmit={(event) => {
        event.preventDefault();
        void onAdd(storedRule(text)).then(() => setText(""));
      }}
    >
      <label htmlFor={`${id}-rule`}>
        <strong>New synonym</strong>
      </label>
      <div className="row nowrap">
        <input
          ref={field}
          id={`${id}-rule`}
          className="wide"
          value={text}
          maxLength={5000}
          required
          minLength={3}
          placeholder="chesterfield, tufted sofa"
          aria-describedby={`${id}-hint`}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="primary">
          Add
        </button>
      </div>
      <p id={`${id}-hint`} className="hint">
        “couch, sofa”: each finds the other. “sneakers → running shoes” or “sneakers =&gt; running shoes”:
        only the first finds the second.
      </p>
    </form>
  );
}

interface SynonymRowProps {
  synonym: Synonym;
  onAdd: (rule: string) => void;
  onRemove: (rule: string) => void;
  onReplace: (former: string, rule: string) => void;
}

function SynonymRow({ synonym: { rule, origin }, onAdd, onRemove, onReplace }: SynonymRowProps) {
  const [draft, setDraft] = useState<string>();
  if (draft !== undefined)
    return (
      <li>
        <form
          className="row nowrap"
          onSubmit={(event) => {
            event.preventDefault();
            onReplace(rule, storedRule(draft));
            setDraft(undefined);
          }}
        >
          <input
            className="wide"
            aria-label={`Change “${shownRule(rule)}”`}
            // Somebody has just pressed Edit in this row.
            ref={(field) => field?.focus()}
            value={draft}
            required
            minLength={3}
            maxLength={5000}
            onChange={(event) => setDraft(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Escape") setDraft(undefined);
            }}
          />
          <button type="submit" className="primary small">
            Save
          </button>
          <button type="button" className="small" onClick={() => setDraft(undefined)}>
            Cancel
          </button>
        </form>
      </li>
    );
  return (
    <li className={origin === "removed" ? "gone" : undefined}>
      <span dir="auto">{shownRule(rule)}</span>
      <span className={origin === "added" ? "tag" : "muted small-text"}>{originTexts[origin]}</span>
      <span className="row nowrap">
        {origin === "removed" ? (
          <button
            type="button"
            className="small"
            onClick={() => onAdd(rule)}
            aria-label={`Add “${shownRule(rule)}” again`}
          >
            Add again
          </button>
        ) : (
          <>
            {origin === "added" && (
              <button
                type="button"
                className="small"
                onClick={() => setDraft(shownRule(rule))}
                aria-label={`Edit “${shownRule(rule)}”`}
              >
                Edit
              </button>
            )}
            <button
              type="button"
              className="small danger"
              onClick={() => onRemove(rule)}
              aria-label={`Remove “${shownRule(rule)}”`}
            >
              Remove
            </button>
          </>
        )}
      </span>
    </li>
  );
}
