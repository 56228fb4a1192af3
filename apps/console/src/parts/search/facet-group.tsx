import type { FacetValue } from "@product-search/client";
import { type ReactNode, useState } from "react";
import { foldName } from "../../service/catalog/category-tree.ts";
import { formatCount } from "../../service/money.ts";
import { cssColor } from "../../service/product/colors.ts";

const fewEntries = 6;

/** Values that stand two in a row. */
const shortLength = 5;

interface FacetGroupProps {
  title: string;
  entries: readonly FacetValue[];
  chosen: readonly string[];
  /** Whether the values are colours: those that are known are shown. */
  hasColors?: boolean;
  onChange: (chosen: string[]) => void;
  /** Between the title and the values. */
  children?: ReactNode;
}

/** The names of one facet with their counts. What is chosen stays in the list when nothing matches it any more. */
export function FacetGroup({
  title,
  entries,
  chosen,
  hasColors = false,
  onChange,
  children,
}: FacetGroupProps) {
  const [isWhole, setWhole] = useState(false);
  const listed = new Set(entries.map(({ value }) => foldName(value)));
  const isChosen = (value: string) => chosen.some((one) => foldName(one) === foldName(value));
  const missing = chosen.filter((one) => !listed.has(foldName(one))).map((value) => ({ value, count: 0 }));
  const all = [...missing, ...entries];
  const isShort = !hasColors && all.every(({ value }) => value.length <= shortLength);
  const few = isShort ? 2 * fewEntries : fewEntries;
  const shown = isWhole ? all : all.filter(({ value }, index) => index < few || isChosen(value));
  if (all.length === 0 && !children) return null;
  const toggle = (value: string) =>
    onChange(
      isChosen(value) ? chosen.filter((one) => foldName(one) !== foldName(value)) : [...chosen, value],
    );
  return (
    <fieldset className="facet">
      <legend dir="auto">{title}</legend>
      {children}
      <div className={isShort ? "short-options" : undefined}>
        {shown.map(({ value, count }) => (
          <FacetOption
            key={value}
            text={value}
            count={count}
            isChosen={isChosen(value)}
            color={hasColors ? cssColor(value) : undefined}
            onToggle={() => toggle(value)}
          />
        ))}
      </div>
      {all.length > few && (
        <button
          type="button"
          className="link bare"
          aria-expanded={isWhole}
          onClick={() => setWhole(!isWhole)}
        >
          {isWhole ? "Show fewer" : `Show all ${all.length}`}
          <span className="visually-hidden"> {title.toLowerCase()}</span>
        </button>
      )}
    </fieldset>
  );
}

interface FacetOptionProps {
  text: string;
  count?: number;
  isChosen: boolean;
  /** A colour of CSS, shown in place of the box. */
  color?: string | undefined;
  onToggle: () => void;
}

/** One value to filter by, and how many products it would leave. */
export function FacetOption({ text, count, isChosen, color, onToggle }: FacetOptionProps) {
  return (
    <label>
      <input
        type="checkbox"
        checked={isChosen}
        onChange={onToggle}
        {...(color !== undefined && { className: "swatch", style: { background: color } })}
      />
      <span dir="auto">{text}</span>
      {count !== undefined && (
        <span className="muted">
          {formatCount(count)}
          <span className="visually-hidden"> products</span>
        </span>
      )}
    </label>
  );
}
