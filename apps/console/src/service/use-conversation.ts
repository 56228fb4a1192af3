import type { DeepSearchResult } from "@product-search/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { useService } from "./service-context.tsx";

/** One request and as much of its answer as has come. */
export interface Turn {
  id: number;
  query: string;
  /** The queries before it, as far as the service looks back. */
  history: readonly string[];
  text: string;
  products: DeepSearchResult["topProducts"];
  result?: DeepSearchResult;
  error?: unknown;
}

const maxHistoryLength = 10;

/** What is sent for a turn: the first one has nothing before it. */
export function requestOf({ query, history }: Pick<Turn, "query" | "history">) {
  return { query, ...(history.length > 0 && { history: [...history] }) };
}

/** The conversation so far, and a way to go on: a new request ends the one that is being answered. */
export function useConversation() {
  const { client } = useService();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const running = useRef<AbortController | undefined>(undefined);
  const lastId = useRef(0);
  useEffect(() => () => running.current?.abort(), []);

  const run = useCallback(
    async (id: number, query: string, history: readonly string[]) => {
      running.current?.abort();
      const abort = new AbortController();
      running.current = abort;
      const change = (how: (turn: Turn) => Turn) =>
        setTurns((previous) => previous.map((turn) => (turn.id === id ? how(turn) : turn)));
      try {
        for await (const event of client.deepSearchStream(requestOf({ query, history }), {
          signal: abort.signal,
        })) {
          if (event.type === "products") change((turn) => ({ ...turn, products: event.topProducts }));
          if (event.type === "delta") change((turn) => ({ ...turn, text: turn.text + event.text }));
          if (event.type === "restart") change((turn) => ({ ...turn, text: "" }));
          if (event.type === "done") {
            const { data } = event;
            change((turn) => ({ ...turn, text: data.aiResponse, products: data.topProducts, result: data }));
          }
        }
      } catch (error) {
        if (abort.signal.aborted)
          setTurns((previous) => previous.filter((turn) => turn.id !== id || turn.result));
        else change((turn) => ({ ...turn, error }));
      }
    },
    [client],
  );

  const ask = useCallback(
    (query: string) => {
      lastId.current += 1;
      const id = lastId.current;
      const history = turns.map((turn) => turn.query).slice(-maxHistoryLength);
      setTurns((previous) => [...previous, { id, query, history, text: "", products: [] }]);
      void run(id, query, history);
    },
    [run, turns],
  );
  const askAgain = useCallback(
    ({ id, query, history }: Turn) => {
      setTurns((previous) =>
        previous.map((turn) => (turn.id === id ? { id, query, history, text: "", products: [] } : turn)),
      );
      void run(id, query, history);
    },
    [run],
  );
  return { turns, ask, askAgain };
}
