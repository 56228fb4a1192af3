import { useCallback, useMemo } from "react";
import { useLocation, useSearch } from "wouter";
import { type CatalogAddress, readCatalogAddress, writeCatalogAddress } from "./catalog-address.ts";

export type ChangeSearch = (change: Partial<CatalogAddress>) => void;

/** The search that the page's URL describes. Each change is a step that Back undoes, and starts at page 1. */
export function useCatalogAddress(): [CatalogAddress, ChangeSearch] {
  const search = useSearch();
  const [, navigate] = useLocation();
  const address = useMemo(() => readCatalogAddress(new URLSearchParams(search)), [search]);
  const change = useCallback(
    (changes: Partial<CatalogAddress>) => {
      // From the URL itself: another value may just have been set, and not been rendered yet.
      const current = readCatalogAddress(new URLSearchParams(location.search));
      navigate(writeCatalogAddress({ ...current, page: 1, ...changes }));
    },
    [navigate],
  );
  return [address, change];
}
