import { useCallback, useEffect, useState } from "react";

export type RequestState<Response> =
  | { phase: "idle"; response: undefined }
  | { phase: "loading"; response: Response | undefined }
  | { phase: "done"; response: Response }
  | { phase: "failed"; response: undefined; error: unknown };

/**
 * Runs a request whenever `key` changes and aborts the one before; undefined asks for nothing. The previous answer
 * stays while the next one loads, so that results do not flicker as one types.
 */
export function useRequest<Response>(
  key: string | undefined,
  run: (signal: AbortSignal) => Promise<Response>,
  delayMs = 0,
) {
  const [state, setState] = useState<RequestState<Response>>({ phase: "idle", response: undefined });
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says what the request is; `run` is new on each render.
  useEffect(() => {
    if (key === undefined) {
      setState({ phase: "idle", response: undefined });
      return;
    }
    const abort = new AbortController();
    setState((previous) => ({ phase: "loading", response: previous.response }));
    const timer = setTimeout(() => {
      run(abort.signal).then(
        (response) => {
          if (!abort.signal.aborted) setState({ phase: "done", response });
        },
        (error: unknown) => {
          if (!abort.signal.aborted) setState({ phase: "failed", response: undefined, error });
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
