import { useSearchParams } from "wouter";
import { CatalogSearch } from "../parts/search/catalog-search.tsx";
import { TrialSearch } from "../parts/search/trial-search.tsx";
import { useService } from "../service/service-context.tsx";
import { usePageTitle } from "../service/use-page-title.ts";

/** Text search: the whole catalog with a token, the trial without one. */
export function SearchScreen() {
  const { token } = useService();
  const [parameters] = useSearchParams();
  usePageTitle(parameters.get("q") ?? "");
  return token ? <CatalogSearch /> : <TrialSearch />;
}
