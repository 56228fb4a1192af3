import type { CatalogFacets } from "@product-search/client";
import { useEffect, useId, useState } from "react";
import { discountText } from "../../service/catalog/active-filters.ts";
import type { CatalogAddress } from "../../service/catalog/catalog-address.ts";
import { readPriceRange } from "../../service/catalog/price-range.ts";
import type { ChangeSearch } from "../../service/catalog/use-catalog-address.ts";
import { currency, formatCount, formatPrice } from "../../service/money.ts";

const fewEntries = 6;

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
          <span>{discountText(Number(discount))}</span>
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

interface Entry {
  value: string;
  count: number;
}

interface FacetGroupProps {
  title: string;
  entries: readonly Entry[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

/** The names of one facet with their counts. What is chosen stays in the list when nothing matches it any more. */
function FacetGroup({ title, entries, chosen, onChange }: FacetGroupProps) {
  const [isWhole, setWhole] = useState(false);
  const known = new Set(entries.map(({ value }) => fold(value)));
  const isChosen = (value: string) => chosen.some((one) => fold(one) === fold(value));
  const missing = chosen.filter((one) => !known.has(fold(one))).map((value) => ({ value, count: 0 }));
  const all = [...missing, ...entries];
  const shown = isWhole ? all : all.filter(({ value }, index) => index < fewEntries || isChosen(value));
  if (all.length === 0) return null;
  const toggle = (value: string) =>
    onChange(isChosen(value) ? chosen.filter((one) => fold(one) !== fold(value)) : [...chosen, value]);
  return (
    <fieldset className="facet">
      <legend>{title}</legend>
      {shown.map(({ value, count }) => (
        <label key={value}>
          <input type="checkbox" checked={isChosen(value)} onChange={() => toggle(value)} />
          <span dir="auto">{value}</span>
          <span className="muted">
            {formatCount(count)}
            <span className="visually-hidden"> products</span>
          </span>
        </label>
      ))}
      {all.length > fewEntries && (
        <button type="button" className="link" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${all.length}`}
          <span className="visually-hidden"> {title.toLowerCase()}</span>
        </button>
      )}
    </fieldset>
  );
}

/** Names compare without case and accents, as in the service. */
function fold(name: string): string {
  return name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

interface PriceFacetProps {
  ranges: NonNullable<CatalogFacets["price"]>;
  address: CatalogAddress;
  onChange: ChangeSearch;
}

/** Ranges to choose from, and two fields for a range of one's own. */
function PriceFacet({ ranges, address, onChange }: PriceFacetProps) {
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
