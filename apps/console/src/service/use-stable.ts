import { useCallback, useEffect, useRef } from "react";

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
