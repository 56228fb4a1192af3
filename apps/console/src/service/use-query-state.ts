import { useCallback } from "react";
import { useSearchParams } from "wouter";

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
