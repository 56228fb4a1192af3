import type { CatalogFacets } from "@product-search/client";
import type { CatalogAddress } from "../../service/catalog/catalog-address.ts";
import type { ChangeSearch } from "../../service/catalog/use-catalog-address.ts";
import { formatCount } from "../../service/money.ts";
import { FacetGroup } from "./facet-group.tsx";
import { PriceFacet } from "./price-facet.tsx";

interface FacetPanelProps {
  facets: CatalogFacets;
  address: CatalogAddress;
  onChange: ChangeSearch;
}

/** Discounts worth a filter of their own. */
const discount = "10";

/** All filters of the catalog search, with how many products each would leave. */
export function FacetPanel({ facets, address, onChange }: FacetPanelProps) {
  const isInStock = address.availability.join() === "in_stock";
  const isDiscounted = Number(address.discount) >= Number(discount);
  return (
    <div className="facets">
      <FacetGroup
        title="Categories"
        entries={facets.categories ?? []}
        chosen={address.categories}
        onChange={(categories) => onChange({ categories })}
      />
      <PriceFacet ranges={facets.price ?? []} address={address} onChange={onChange} />
      <FacetGroup
        title="Brands"
        entries={facets.brands ?? []}
        chosen={address.brands}
        onChange={(brands) => onChange({ brands })}
      />
      <RatingFacet ranges={facets.rating ?? []} rating={address.rating} onChange={onChange} />
      <fieldset className="facet">
        <legend>Offer</legend>
        <label>
          <input
            type="checkbox"
            checked={isInStock}
            onChange={() => onChange({ availability: isInStock ? [] : ["in_stock"] })}
          />
          <span>In stock</span>
        </label>
        <label>
          <input
            type="checkbox"
            checked={isDiscounted}
            onChange={() => onChange({ discount: isDiscounted ? "" : discount })}
          />
          <span>Discount of {discount} % or more</span>
        </label>
      </fieldset>
      <FacetGroup
        title="Stores"
        entries={facets.stores ?? []}
        chosen={address.stores}
        onChange={(stores) => onChange({ stores })}
      />
    </div>
  );
}

interface RatingFacetProps {
  ranges: NonNullable<CatalogFacets["rating"]>;
  rating: string;
  onChange: ChangeSearch;
}

function RatingFacet({ ranges, rating, onChange }: RatingFacetProps) {
  if (ranges.length === 0) return null;
  return (
    <fieldset className="facet">
      <legend>Rating</legend>
      {ranges.map(({ from, count }) => {
        const isChosen = rating !== "" && Number(rating) === from;
        return (
          <label key={from}>
            <input
              type="checkbox"
              checked={isChosen}
              onChange={() => onChange({ rating: isChosen ? "" : String(from) })}
            />
            <span>★ {from} and above</span>
            <span className="muted">
              {formatCount(count)}
              <span className="visually-hidden"> products</span>
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

/** The room that the filters will take. */
export function FacetPanelSkeleton() {
  return (
    <div className="facets skeleton" aria-hidden="true">
      {[1, 2, 3].map((group) => (
        <div key={group} className="facet">
          <div className="bar short" />
          <div className="bar" />
          <div className="bar" />
          <div className="bar" />
        </div>
      ))}
    </div>
  );
}
