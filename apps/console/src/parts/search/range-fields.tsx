import { type CSSProperties, useEffect, useId, useState } from "react";
import type { TypedRange } from "../../service/catalog/catalog-address.ts";

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
export function RangeFields({ what, min, max, all, valueText, read, onChange }: RangeFieldsProps) {
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
