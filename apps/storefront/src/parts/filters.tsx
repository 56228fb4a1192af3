import { type ReactNode, useEffect, useRef, useState } from "react";
import {
  HierarchicalMenu,
  RefinementList,
  ToggleRefinement,
  useInstantSearch,
  useRange,
  useRefinementList,
} from "react-instantsearch";
import { priceText } from "../shop.ts";
import { Dot } from "./swatches.tsx";

/** Attributes that are shown as they are, in this order, where the products found have them. */
const attributes = ["size", "material", "capacity", "style"];

/** What narrows the products found. On a narrow screen it is behind a button, on a wide one the style sheet opens it. */
export function Filters() {
  return (
    <details className="filters">
      <summary>Filters</summary>
      <Group title="Category">
        <HierarchicalMenu
          attributes={["categoryPaths.lvl0", "categoryPaths.lvl1", "categoryPaths.lvl2"]}
          limit={20}
        />
      </Group>
      <PriceFilter />
      <ColourFilter />
      <Group title="Brand">
        <RefinementList attribute="brand" limit={8} showMore showMoreLimit={50} />
      </Group>
      {attributes.map((name) => (
        <AttributeFilter key={name} name={name} />
      ))}
      <ToggleRefinement attribute="onSale" label="On sale" on="true" />
    </details>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="filter">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function AttributeFilter({ name }: { name: string }) {
  const { items } = useRefinementList({ attribute: `attributes.${name}`, limit: 10 });
  if (items.length === 0) return null;
  return (
    <Group title={name}>
      <RefinementList attribute={`attributes.${name}`} limit={10} />
    </Group>
  );
}

function ColourFilter() {
  const { items, refine } = useRefinementList({ attribute: "attributes.color", limit: 12 });
  if (items.length === 0) return null;
  return (
    <Group title="Colour">
      <ul className="colours">
        {items.map(({ value, label, count, isRefined }) => (
          <li key={value}>
            <button type="button" aria-pressed={isRefined} onClick={() => refine(value)}>
              <Dot colour={label} />
              {label} <small>{count}</small>
            </button>
          </li>
        ))}
      </ul>
    </Group>
  );
}

/** A slider that is moved by keys is let go when none has been pressed for so long. */
const keysPauseMs = 400;

/** Two sliders on one line. The products follow when a slider is let go. */
function PriceFilter() {
  const keys = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(keys.current), []);
  const { start, range, canRefine, refine } = useRange({ attribute: "price" });
  const { status } = useInstantSearch();
  const [least = 0, greatest = 0] = [range.min, range.max];
  const chosenFrom = Number.isFinite(start[0]) ? (start[0] ?? least) : least;
  const chosenTo = Number.isFinite(start[1]) ? (start[1] ?? greatest) : greatest;
  const [values, setValues] = useState<[number, number]>([chosenFrom, chosenTo]);
  useEffect(() => {
    if (status === "idle") setValues([chosenFrom, chosenTo]);
  }, [chosenFrom, chosenTo, status]);
  if (!canRefine) return null;
  const [from, to] = values;
  const apply = () =>
    refine([from > least ? from : undefined, to < greatest ? to : undefined] as [number, number]);
  const applySoon = () => {
    clearTimeout(keys.current);
    keys.current = setTimeout(apply, keysPauseMs);
  };
  const slider = (place: 0 | 1, label: string) => (
    <input
      type="range"
      aria-label={label}
      aria-valuetext={priceText(values[place])}
      min={least}
      max={greatest}
      value={values[place]}
      onChange={({ target }) => {
        const value = Number(target.value);
        setValues(place === 0 ? [Math.min(value, to), to] : [from, Math.max(value, from)]);
      }}
      onPointerUp={apply}
      onKeyUp={applySoon}
    />
  );
  return (
    <Group title="Price">
      <div className="slider">
        {slider(0, "Lowest price")}
        {slider(1, "Highest price")}
        <output>
          {priceText(from)} – {priceText(to)}
        </output>
      </div>
    </Group>
  );
}
