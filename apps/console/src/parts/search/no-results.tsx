import type { CatalogSearchResponse } from "@product-search/client";
import { Link } from "wouter";
import { activeFilters, understoodTexts } from "../../service/catalog/active-filters.ts";
import { type CatalogAddress, noFilters } from "../../service/catalog/catalog-address.ts";
import type { ChangeSearch } from "../../service/catalog/use-catalog.ts";
import { EmptyNotice } from "../notice.tsx";

interface NoResultsProps {
  address: CatalogAddress;
  response: CatalogSearchResponse;
  onChange: ChangeSearch;
}

/** Nothing matches: what was corrected, and the searches that ask for less. */
export function NoResults({ address, response, onChange }: NoResultsProps) {
  const { correctedQuery, understood } = response;
  const filters = activeFilters(address);
  return (
    <EmptyNotice title={address.q === "" ? "Nothing found" : `Nothing found for “${address.q}”`}>
      {correctedQuery !== undefined && (
        <p>
          The words were corrected to <strong>{correctedQuery}</strong>.
        </p>
      )}
      {address.discount !== "" && (
        <p>
          A reduction counts once the price is below the lowest one recorded here in the 30 days before: a
          product that was imported with its sale price has no discount yet.
        </p>
      )}
      <ul className="chips">
        {understood && (
          <li>
            <button type="button" className="chip" onClick={() => onChange({ literal: "1" })}>
              Do not apply “{understoodTexts(understood).join(", ")}”
            </button>
          </li>
        )}
        {filters.map(({ id, text, removed }) => (
          <li key={id}>
            <button type="button" className="chip" onClick={() => onChange(removed)}>
              Remove “{text}”
            </button>
          </li>
        ))}
        {filters.length > 1 && (
          <li>
            <button type="button" className="chip" onClick={() => onChange(noFilters)}>
              Remove all filters
            </button>
          </li>
        )}
      </ul>
      {filters.length === 0 && !understood && <p>Use fewer or different words.</p>}
      {filters.length === 0 && (
        <p>
          <Link href="/">See all categories</Link>
        </p>
      )}
    </EmptyNotice>
  );
}
