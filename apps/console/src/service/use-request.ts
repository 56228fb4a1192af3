import { useCallback, useEffect, useState } from "react";

export type RequestState<Answer> =
  | { phase: "idle"; answer: undefined }
  | { phase: "loading"; answer: Answer | undefined }
  | { phase: "done"; answer: Answer }
  | { phase: "failed"; answer: undefined; error: unknown };

/**
 * Runs a request whenever `key` changes and aborts the one before; undefined asks for nothing. The previous answer
 * stays while the next one loads, so that results do not flicker as one types.
 */
export function useRequest<Answer>(
  key: string | undefined,
  run: (signal: AbortSignal) => Promise<Answer>,
  delayMs = 0,
) {
  const [state, setState] = useState<RequestState<Answer>>({ phase: "idle", answer: undefined });
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what the request is; `run` is new on each render.
  useEffect(() => {
    if (key === undefined) {
      setState({ phase: "idle", answer: undefined });
      return;
    }
    const abort = new AbortController();
    setState((previous) => ({ phase: "loading", answer: previous.answer }));
    const timer = setTimeout(() => {
      run(abort.signal).then(
        (answer) => {
          if (!abort.signal.aborted) setState({ phase: "done", answer });
        },
        (error: unknown) => {
          if (!abort.signal.aborted) setState({ phase: "failed", answer: undefined, error });
        },
      );
    }, delayMs);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key, attempt]);

  return { ...state, retry };
}
