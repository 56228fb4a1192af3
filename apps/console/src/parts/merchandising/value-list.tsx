import type { FacetValue } from "@product-search/client";
import { useId, useState } from "react";

interface ValueListProps {
  label: string;
  values: readonly string[];
  /** What the catalog has, to choose from; any other text can be added as well. */
  options: readonly FacetValue[];
  /** Default: any text. */
  isValue?: (text: string) => boolean;
  onChange: (values: readonly string[]) => void;
}

/** Brands, categories or attributes: each a chip that can be removed, and a field for one more. */
export function ValueList({ label, values, options, isValue, onChange }: ValueListProps) {
  const id = useId();
  const [text, setText] = useState("");
  const add = (value: string) => {
    const added = value.trim();
    // It stays in the field, to be completed.
    if (added !== "" && isValue?.(added) === false) return;
    if (added !== "" && !values.includes(added)) onChange([...values, added]);
    setText("");
  };
  return (
    <div className="value-list">
      <label htmlFor={`${id}-text`} className="small-text">
        {label}
      </label>
      {values.length > 0 && (
        <ul className="chips">
          {values.map((value) => (
            <li key={value}>
              <button
                type="button"
                className="chip"
                onClick={() => onChange(values.filter((one) => one !== value))}
                aria-label={`Remove ${value}`}
              >
                {value} <span aria-hidden="true">×</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className="row nowrap">
        <input
          id={`${id}-text`}
          list={`${id}-options`}
          value={text}
          aria-invalid={text.trim() !== "" && isValue?.(text.trim()) === false}
          maxLength={isValue ? 251 : 200}
          autoComplete="off"
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add(text);
          }}
          onBlur={() => add(text)}
        />
        <button
          type="button"
          onClick={() => add(text)}
          disabled={text.trim() === "" || isValue?.(text.trim()) === false}
        >
          Add
        </button>
      </div>
      <datalist id={`${id}-options`}>
        {options.map(({ value, count }) => (
          <option key={value} value={value} label={`${count} products`} />
        ))}
      </datalist>
    </div>
  );
}
