import type { CatalogSearchResponse } from "@product-search/client";
import { activeFilters, understoodTexts } from "../../service/catalog/active-filters.ts";
import { type CatalogAddress, noFilters } from "../../service/catalog/catalog-address.ts";
import type { ChangeSearch } from "../../service/catalog/use-catalog-address.ts";

interface ActiveFiltersProps {
  address: CatalogAddress;
  response: CatalogSearchResponse | undefined;
  onChange: ChangeSearch;
}

/** One row with what narrows the search: the chosen filters, and those that were read from the text. */
export function ActiveFilters({ address, response, onChange }: ActiveFiltersProps) {
  const filters = activeFilters(address);
  const understood = response?.understood ? understoodTexts(response.understood) : [];
  return (
    <div className="active-filters">
      {filters.length > 0 && (
        <ul className="chips" aria-label="Active filters">
          {filters.map(({ text, removed }) => (
            <li key={text}>
              <button type="button" className="chip removable" onClick={() => onChange(removed)}>
                <span className="visually-hidden">Remove the filter </span>
                <span dir="auto">{text}</span>
              </button>
            </li>
          ))}
          {filters.length > 1 && (
            <li>
              <button type="button" className="link" onClick={() => onChange(noFilters)}>
                Remove all
              </button>
            </li>
          )}
        </ul>
      )}
      {understood.length > 0 && (
        <p className="understood-filters">
          Understood as: <strong>{understood.join(", ")}</strong>{" "}
          <button type="button" className="link" onClick={() => onChange({ literal: "1" })}>
            Undo<span className="visually-hidden">: search these words as text</span>
          </button>
        </p>
      )}
      {address.literal === "1" && (
        <p className="understood-filters">
          All words are searched as text.{" "}
          <button type="button" className="link" onClick={() => onChange({ literal: "" })}>
            Read filters from them
          </button>
        </p>
      )}
    </div>
  );
}
