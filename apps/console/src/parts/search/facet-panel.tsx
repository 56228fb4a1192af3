import type { CatalogFacets } from "@product-search/client";
import { useEffect, useId, useState } from "react";
import { discountText } from "../../service/catalog/active-filters.ts";
import {
  areNumbers,
  attributeTitle,
  type CatalogAddress,
  inNaturalOrder,
  readAttributeFilter,
  readPriceRange,
  readRange,
  readRangeFilter,
  type TypedRange,
  writeAttributeFilter,
  writeRangeFilter,
} from "../../service/catalog/catalog-address.ts";
import { foldName } from "../../service/catalog/category-tree.ts";
import { type ChangeSearch, useAttributeRanges } from "../../service/catalog/use-catalog.ts";
import { currency, formatPriceRange } from "../../service/money.ts";
import { isColorAttribute } from "../../service/product/colors.ts";
import { CategoryTree } from "./category-tree.tsx";
import { FacetGroup, FacetOption } from "./facet-group.tsx";

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
      <CategoryTree
        paths={facets.categoryPaths ?? []}
        chosen={address.categories}
        onChange={(categories) => onChange({ categories })}
      />
      <PriceFacet ranges={facets.price ?? []} address={address} onChange={onChange} />
      <AttributeFacets
        attributes={facets.attributes ?? {}}
        chosen={address.attributes}
        ranges={address.ranges}
        onChange={onChange}
      />
      <FacetGroup
        title="Brands"
        entries={facets.brands ?? []}
        chosen={address.brands}
        onChange={(brands) => onChange({ brands })}
      />
      <RatingFacet ranges={facets.rating ?? []} rating={address.rating} onChange={onChange} />
      <fieldset className="facet">
        <legend>Offer</legend>
        <FacetOption
          text="In stock"
          isChosen={isInStock}
          onToggle={() => onChange({ availability: isInStock ? [] : ["in_stock"] })}
        />
        <FacetOption
          text={discountText(Number(discount))}
          isChosen={isDiscounted}
          onToggle={() => onChange({ discount: isDiscounted ? "" : discount })}
        />
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

/** As many attributes as are open at first. */
const openAttributes = 4;

interface AttributeFacetsProps {
  attributes: NonNullable<CatalogFacets["attributes"]>;
  /** The attribute filters of the address, of all names. */
  chosen: readonly string[];
  /** The same for ranges of numbers. */
  ranges: readonly string[];
  onChange: ChangeSearch;
}

/** A group for each attribute of the products, colours with the colour itself, numbers with a range of one's own. */
function AttributeFacets({ attributes, chosen, ranges, onChange }: AttributeFacetsProps) {
  const [isWhole, setWhole] = useState(false);
  const numbers = useAttributeRanges(
    Object.keys(attributes).filter((name) => areNumbers(attributes[name] ?? [])),
  );
  const filters = chosen.map(readAttributeFilter).filter((filter) => filter !== undefined);
  const bounds = ranges.map(readRangeFilter).filter((range) => range !== undefined);
  const missing = [...new Set([...filters, ...bounds].map(({ name }) => foldName(name)))].filter(
    (name) => !Object.hasOwn(attributes, name),
  );
  const all = [...Object.entries(attributes), ...missing.map((name) => [name, []] as const)];
  const groups = all.map(([name, entries]) => {
    const isOwn = (filter: { name: string }) => foldName(filter.name) === foldName(name);
    const group = {
      name,
      entries,
      own: filters.filter(isOwn).map(({ value }) => value),
      range: bounds.find(isOwn),
    };
    const others = chosen.filter((text) => !isOwn(readAttributeFilter(text) ?? { name: "" }));
    const choose = (values: readonly string[]) =>
      onChange({ attributes: [...others, ...values.map((value) => writeAttributeFilter(name, value))] });
    const otherRanges = ranges.filter((text) => !isOwn(readRangeFilter(text) ?? { name: "" }));
    const bound = (min: string, max: string) => {
      const isOpen = min === "" && max === "";
      onChange({ ranges: isOpen ? otherRanges : [...otherRanges, writeRangeFilter(name, min, max)] });
    };
    return { ...group, choose, bound };
  });
  // One value alone narrows nothing.
  const useful = groups.filter(({ entries, own, range }) => entries.length > 1 || own.length > 0 || range);
  const shown = useful.filter(
    ({ own, range }, index) => isWhole || index < openAttributes || own.length > 0 || range,
  );
  return (
    <>
      {shown.map(({ name, entries, own, range, choose, bound }) => {
        const all = numbers[name];
        const title =
          all?.unit === undefined ? attributeTitle(name) : `${attributeTitle(name)} (${all.unit})`;
        return (
          <FacetGroup
            key={name}
            title={title}
            entries={inNaturalOrder(entries)}
            chosen={own}
            hasColors={isColorAttribute(name)}
            onChange={choose}
          >
            {(all || range) && (
              <RangeFields
                what={title.toLowerCase()}
                min={range?.min ?? ""}
                max={range?.max ?? ""}
                all={all}
                read={readRange}
                onChange={bound}
              />
            )}
          </FacetGroup>
        );
      })}
      {shown.length < useful.length && (
        <button type="button" className="link bare" onClick={() => setWhole(true)}>
          Show all {useful.length} attributes
        </button>
      )}
    </>
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
      {ranges.map(({ from }, i) => {
        const isChosen = rating !== "" && Number(rating) === from;
        return (
          <FacetOption
            key={from}
            text={`★ ${from} and above`}
            count={ranges.slice(0, i + 1).reduce((sum, { count }) => sum + count, 0)}
            isChosen={isChosen}
            onToggle={() => onChange({ rating: isChosen ? "" : String(from) })}
          />
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
      <RangeFields
        what="price"
        min={min}
        max={max}
        read={readPriceRange}
        onChange={(least, most) => onChange({ min: least, max: most })}
      />
      {ranges.map(({ from, to, count }) => {
        const isChosen = Number(min) === from && max !== "" && Number(max) === to;
        const change = isChosen ? { min: "", max: "" } : { min: String(from), max: String(to) };
        return (
          <FacetOption
            key={from}
            text={formatPriceRange(from, to)}
            count={count}
            isChosen={isChosen}
            onToggle={() => onChange(change)}
          />
        );
      })}
    </fieldset>
  );
}

interface RangeFieldsProps {
  /** Of which there is a lowest and a highest. */
  what: string;
  min: string;
  max: string;
  /** The least and the greatest of all. */
  all?: { min: number; max: number } | undefined;
  read: (min: string, max: string) => TypedRange;
  onChange: (min: string, max: string) => void;
}

/** Applied with Enter, and when both fields have been left. */
function RangeFields({ what, min, max, all, read, onChange }: RangeFieldsProps) {
  const faultId = useId();
  const [draft, setDraft] = useState({ min, max });
  useEffect(() => setDraft({ min, max }), [min, max]);
  const range = read(draft.min, draft.max);
  const fault = range.kind === "wrong" ? range.fault : undefined;
  const apply = () => {
    if (fault === undefined && (draft.min !== min || draft.max !== max))
      onChange(draft.min.trim(), draft.max.trim());
  };
  const field = (label: string, name: "min" | "max") => (
    <input
      aria-label={label}
      aria-invalid={fault !== undefined}
      aria-describedby={fault === undefined ? undefined : faultId}
      inputMode="decimal"
      autoComplete="off"
      placeholder={all && String(all[name])}
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
      {field(`Lowest ${what}`, "min")}
      <span aria-hidden="true">to</span>
      {field(`Highest ${what}`, "max")}
      <button type="submit" className="small">
        Apply
        <span className="visually-hidden"> the {what} range</span>
      </button>
      {fault && (
        <p id={faultId} className="field-fault" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}
