import type { CatalogFacets } from "@product-search/client";
import { useEffect, useId, useState } from "react";
import type { CatalogAddress } from "../../service/catalog/catalog-address.ts";
import { readPriceRange } from "../../service/catalog/price-range.ts";
import type { ChangeSearch } from "../../service/catalog/use-catalog-address.ts";
import { currency, formatCount, formatPrice } from "../../service/money.ts";

interface PriceFacetProps {
  ranges: NonNullable<CatalogFacets["price"]>;
  address: CatalogAddress;
  onChange: ChangeSearch;
}

/** Ranges to choose from, and two fields for a range of one's own. */
export function PriceFacet({ ranges, address, onChange }: PriceFacetProps) {
  const { min, max } = address;
  return (
    <fieldset className="facet">
      <legend>Price ({currency})</legend>
      <PriceFields key={`${min} ${max}`} min={min} max={max} onChange={onChange} />
      {ranges.map(({ from, to, count }) => {
        const isChosen = Number(min) === from && max !== "" && Number(max) === to;
        const change = isChosen ? { min: "", max: "" } : { min: String(from), max: String(to) };
        return (
          <label key={from}>
            <input type="checkbox" checked={isChosen} onChange={() => onChange(change)} />
            <span>
              {formatPrice(from)} to {formatPrice(to)}
            </span>
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

/** Applied with Enter, and when both fields have been left. */
function PriceFields({
  min,
  max,
  onChange,
}: Pick<CatalogAddress, "min" | "max"> & { onChange: ChangeSearch }) {
  const faultId = useId();
  const [draft, setDraft] = useState({ min, max });
  useEffect(() => setDraft({ min, max }), [min, max]);
  const price = readPriceRange(draft.min, draft.max);
  const fault = price.kind === "wrong" ? price.fault : undefined;
  const apply = () => {
    if (fault === undefined && (draft.min !== min || draft.max !== max))
      onChange({ min: draft.min.trim(), max: draft.max.trim() });
  };
  const field = (label: string, name: "min" | "max") => (
    <input
      aria-label={label}
      aria-invalid={fault !== undefined}
      aria-describedby={fault === undefined ? undefined : faultId}
      inputMode="decimal"
      autoComplete="off"
      value={draft[name]}
      onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
      size={6}
    />
  );
  return (
    <form
      className="price-fields"
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) apply();
      }}
    >
      {field("Lowest price", "min")}
      <span aria-hidden="true">to</span>
      {field("Highest price", "max")}
      <button type="submit" className="small">
        Apply
        <span className="visually-hidden"> the price range</span>
      </button>
      {fault && (
        <p id={faultId} className="field-fault" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}
