import { useCallback, useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";

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

/** A function that is made anew on each render, under one identity: what it is handed to need not be drawn again. */
export function useStable<Arguments extends unknown[]>(
  run: (...given: Arguments) => void,
): (...given: Arguments) => void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  return useCallback((...given: Arguments) => latest.current(...given), []);
}

/** A value that lives in the page's address, so that what is on the screen can be shared and gone back to. */
export function useQueryState(name: string): [string, (value: string) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (value: string) =>
      setParams(
        () => {
          // From the address itself: another value may just have been set, and not been rendered yet.
          const next = new URLSearchParams(location.search);
          if (value === "") next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      ),
    [name, setParams],
  );
  return [params.get(name) ?? "", set];
}
