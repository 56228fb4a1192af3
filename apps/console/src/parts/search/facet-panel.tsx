import type { CatalogFacets } from "@product-search/client";
import { useState } from "react";
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
  writeAttributeFilter,
  writeRangeFilter,
} from "../../service/catalog/catalog-address.ts";
import { foldName } from "../../service/catalog/category-tree.ts";
import { type ChangeSearch, useAttributeRanges } from "../../service/catalog/use-catalog.ts";
import { currency, formatPrice, formatPriceRange } from "../../service/money.ts";
import { isColorAttribute } from "../../service/product/colors.ts";
import { CategoryTree } from "./category-tree.tsx";
import { FacetGroup, FacetOption } from "./facet-group.tsx";
import { RangeFields } from "./range-fields.tsx";

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
      <AttributeFacets attributes={facets.attributes ?? {}} address={address} onChange={onChange} />
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
  address: CatalogAddress;
  onChange: ChangeSearch;
}

/** A group for each attribute of the products, colours with the colour itself, numbers with a range of one's own. */
function AttributeFacets({ attributes, address, onChange }: AttributeFacetsProps) {
  const { attributes: chosen, ranges } = address;
  const [isWhole, setWhole] = useState(false);
  const numbers = useAttributeRanges(
    address,
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
        const unit = all?.unit && asSpelt(all.unit, entries);
        const withUnit = (text: string) => (unit ? `${text} (${unit})` : text);
        return (
          <FacetGroup
            key={name}
            title={withUnit(attributeTitle(name))}
            entries={inNaturalOrder(entries)}
            chosen={own}
            hasColors={isColorAttribute(name)}
            onChange={choose}
          >
            {(all || range) && (
              <RangeFields
                what={withUnit(attributeTitle(name).toLowerCase())}
                min={range?.min ?? ""}
                max={range?.max ?? ""}
                all={all}
                valueText={(value) => (unit ? `${value} ${unit}` : String(value))}
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

/** A unit as the products write it: the service says "kw". */
function asSpelt(unit: string, entries: readonly { value: string }[]): string {
  const units = entries.map(({ value }) => value.replace(/^[\d.,+\s-]+/, "").trim());
  return units.find((one) => one.toLowerCase() === unit) ?? unit;
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

/** Ranges to choose from, and a range of one's own. */
function PriceFacet({ ranges, address, onChange }: PriceFacetProps) {
  const { min, max } = address;
  const all = { min: ranges[0]?.from ?? 0, max: ranges.at(-1)?.to ?? 0 };
  return (
    <fieldset className="facet">
      <legend>Price ({currency})</legend>
      <RangeFields
        what="price"
        min={min}
        max={max}
        all={all}
        valueText={formatPrice}
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
