import { useState } from "react";
import { formatCount } from "../../service/money.ts";

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

const fewEntries = 6;

/** The names of one facet with their counts. What is chosen stays in the list when nothing matches it any more. */
export function FacetGroup({ title, entries, chosen, onChange }: FacetGroupProps) {
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
