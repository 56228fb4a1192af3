import { useCallback, useSyncExternalStore } from "react";
import { keep, readKept } from "../kept.ts";
import { useService } from "../service-context.tsx";
import { type Draft, emptyDraft } from "./changes.ts";

/** By the name under which they are kept. */
const drafts = new Map<string, Draft>();
const listeners = new Set<() => void>();

function read(name: string): Draft {
  const draft = drafts.get(name) ?? parse(readKept(name));
  drafts.set(name, draft);
  return draft;
}

/** What an older page has kept in another shape is no draft any more. */
function parse(text: string | undefined): Draft {
  try {
    const draft = JSON.parse(text ?? "");
    return Array.isArray(draft?.changes) ? draft : emptyDraft;
  } catch {
    return emptyDraft;
  }
}

function subscribe(listener: () => void): () => void {
  // Another tab has changed it.
  const onStorage = () => {
    drafts.clear();
    listener();
  };
  listeners.add(listener);
  addEventListener("storage", onStorage);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", onStorage);
  };
}

/** The changes that a person has not published yet, kept in this browser. */
export function useDraft(): [Draft, (change: (draft: Draft) => Draft) => void] {
  const { person } = useService();
  const name = `draft ${person?.name ?? ""}`.trim();
  const draft = useSyncExternalStore(subscribe, () => read(name));
  const change = useCallback(
    (change: (draft: Draft) => Draft) => {
      const next = change(read(name));
      drafts.set(name, next);
      keep(name, next === emptyDraft ? undefined : JSON.stringify(next));
      for (const listener of listeners) listener();
    },
    [name],
  );
  return [draft, change];
}
