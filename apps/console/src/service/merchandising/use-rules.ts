import type { Rule } from "@product-search/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { useService } from "../service-context.tsx";
import { useRequest } from "../use-request.ts";
import { definitionOf } from "./rule-draft.ts";

/** Steps by keyboard that follow each other are stored at once. */
const orderPauseMs = 500;

/** All rules in their order, and what a list changes: it shows a change at once, and the stored rules again if the service refuses. */
export function useRules() {
  const { client, token } = useService();
  const list = useRequest(token || undefined, (signal) => client.listRules({ signal }));
  const [rules, setRules] = useState<readonly Rule[]>();
  const [error, setError] = useState<unknown>();
  const [message, setMessage] = useState("");
  const [deleted, setDeleted] = useState<{ rule: Rule; index: number }>();
  const shown = useRef<readonly Rule[]>([]);
  const { retry, response } = list;
  const show = useCallback((next: readonly Rule[]) => {
    shown.current = next;
    setRules(next);
  }, []);
  useEffect(() => {
    if (response) show(response.rules);
  }, [response, show]);

  const attempt = useCallback(
    async (work: () => Promise<string>) => {
      setError(undefined);
      try {
        setMessage(await work());
      } catch (failure) {
        setError(failure);
        retry();
      }
    },
    [retry],
  );
  const storeOrder = useStoreLater(
    useCallback(
      () =>
        attempt(async () => {
          await client.orderRules({ ids: shown.current.map(({ id }) => id) });
          return "The order is saved.";
        }),
      [attempt, client],
    ),
  );
  const move = useCallback(
    (id: string, to: number) => {
      const from = shown.current.findIndex((rule) => rule.id === id);
      const rule = shown.current[from];
      if (rule === undefined || from === to) return;
      show(shown.current.toSpliced(from, 1).toSpliced(to, 0, rule));
      storeOrder();
    },
    [show, storeOrder],
  );
  const setEnabled = useCallback(
    (rule: Rule, enabled: boolean) =>
      attempt(async () => {
        const { id, updatedAt } = rule;
        show(shown.current.map((one) => (one.id === id ? { ...rule, enabled } : one)));
        const stored = await client.replaceRule(id, { ...definitionOf(rule), enabled, updatedAt });
        show(shown.current.map((one) => (one.id === id ? stored.rule : one)));
        return `“${rule.name}” is ${enabled ? "on" : "off"}.`;
      }),
    [attempt, client, show],
  );
  const remove = useCallback(
    (rule: Rule) =>
      attempt(async () => {
        await client.deleteRule(rule.id);
        const index = shown.current.findIndex(({ id }) => id === rule.id);
        show(shown.current.toSpliced(index, 1));
        setDeleted({ rule, index });
        return "";
      }),
    [attempt, client, show],
  );
  /** The same rule anew, at its former place; its history begins anew as well. */
  const undo = useCallback(
    ({ rule, index }: { rule: Rule; index: number }) =>
      attempt(async () => {
        const created = await client.createRule(definitionOf(rule));
        show(shown.current.toSpliced(index, 0, created.rule));
        setDeleted(undefined);
        await client.orderRules({ ids: shown.current.map(({ id }) => id) });
        return `“${rule.name}” is back.`;
      }),
    [attempt, client, show],
  );
  return { list, rules, error, message, deleted, move, setEnabled, remove, undo };
}

/** Calls after a pause without another call, and at once when the screen is left. */
function useStoreLater(store: () => Promise<void>): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const flush = useCallback(() => {
    if (timer.current === undefined) return;
    clearTimeout(timer.current);
    timer.current = undefined;
    void store();
  }, [store]);
  useEffect(() => flush, [flush]);
  return useCallback(() => {
    clearTimeout(timer.current);
    timer.current = setTimeout(flush, orderPauseMs);
  }, [flush]);
}
