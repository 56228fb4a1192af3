import type { CatalogFacets } from "@product-search/client";
import { type CSSProperties, useEffect, useId, useState } from "react";
import { currency, formatPrice, formatPriceRange } from "../../service/format.ts";
import { isColorAttribute } from "../../service/product/colors.ts";
import { discountText } from "../../service/search/active-filters.ts";
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
} from "../../service/search/catalog-address.ts";
import { foldName } from "../../service/search/category-tree.ts";
import { type ChangeSearch, useAttributeRanges } from "../../service/search/use-catalog.ts";
import { CategoryTree, FacetGroup, FacetOption } from "./facet-group.tsx";

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

interface RangeFieldsProps {
  /** Of which there is a lowest and a highest. */
  what: string;
  min: string;
  max: string;
  /** The least and the greatest of the matches, without this filter. */
  all?: { min: number; max: number } | undefined;
  valueText: (value: number) => string;
  read: (min: string, max: string) => TypedRange;
  onChange: (min: string, max: string) => void;
}

/** A slider and two fields for one range. Applied when a handle is let go, with Enter, and when all have been left. */
function RangeFields({ what, min, max, all, valueText, read, onChange }: RangeFieldsProps) {
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
      {all && all.min < all.max && (
        <RangeSlider
          what={what}
          all={all}
          range={draft}
          valueText={valueText}
          onMove={setDraft}
          onRelease={apply}
        />
      )}
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

interface Bounds {
  min: string;
  max: string;
}

interface RangeSliderProps extends Pick<RangeFieldsProps, "what" | "valueText"> {
  all: { min: number; max: number };
  range: Bounds;
  onMove: (range: Bounds) => void;
  onRelease: () => void;
}

/** Two inputs of the browser on one line, each with one handle. A handle at its end of the line is no bound. */
function RangeSlider({ what, all, range, valueText, onMove, onRelease }: RangeSliderProps) {
  const { least, greatest, step } = scaleOf(all);
  const place = (text: string, end: number) => {
    const value = text.trim() === "" ? end : Number(text.trim().replace(",", "."));
    return Number.isNaN(value) ? end : Math.min(Math.max(value, least), greatest);
  };
  const from = place(range.min, least);
  const to = Math.max(place(range.max, greatest), from);
  const share = (value: number) => `${(100 * (value - least)) / (greatest - least)}%`;
  const move = (name: keyof Bounds, value: number) => {
    const isEnd = name === "min" ? value <= least : value >= greatest;
    // No handle passes the other.
    const bound = name === "min" ? Math.min(value, to, all.max) : Math.max(value, from, all.min);
    onMove({ ...range, [name]: isEnd ? "" : String(bound) });
  };
  const handle = (label: string, name: keyof Bounds, value: number) => (
    <input
      type="range"
      aria-label={`${label} ${what}`}
      aria-valuetext={valueText(Math.min(Math.max(value, all.min), all.max))}
      min={least}
      max={greatest}
      step={step}
      value={value}
      // Of two handles at one place, the one with more room is above.
      style={{ zIndex: name === "min" && value > (least + greatest) / 2 ? 1 : 0 }}
      onChange={({ target }) => move(name, Number(target.value))}
      // React's `onChange` is every move; the browser's own event also comes after keys, touch and screen readers.
      ref={(input) => {
        input?.addEventListener("change", onRelease);
        return () => input?.removeEventListener("change", onRelease);
      }}
    />
  );
  return (
    <div className="range-slider" style={{ "--from": share(from), "--to": share(to) } as CSSProperties}>
      {handle("Lowest", "min", from)}
      {handle("Highest", "max", to)}
    </div>
  );
}

/** A hundred to a thousand steps of 1, 10, .1 and so on, between ends on a step. */
function scaleOf({ min, max }: { min: number; max: number }) {
  const step = 10 ** Math.max(-6, Math.floor(Math.log10((max - min) / 100)));
  // Without what binary fractions add: 57 × .01 is .5700000000000001.
  const times = (steps: number) => Number((steps * step).toPrecision(12));
  return { least: times(Math.floor(min / step)), greatest: times(Math.ceil(max / step)), step };
}
