import { useEffect, useId, useRef } from "react";
import { catalogFieldId } from "../../service/search/use-catalog.ts";
import { Icon } from "../elements.tsx";

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
  onSubmit?: () => void;
  submitLabel?: string;
  /** The field that the page is opened for: it has the focus, and `/` leads to it. */
  isFirst?: boolean;
}

export function SearchField({
  label,
  value,
  onChange,
  placeholder,
  onSubmit,
  submitLabel,
  isFirst = false,
}: SearchFieldProps) {
  const ownId = useId();
  const id = isFirst ? catalogFieldId : ownId;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) input.current?.focus({ preventScroll: true });
  }, [isFirst]);
  return (
    <search>
      <form
        className="search-field"
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.();
        }}
      >
        <label htmlFor={id} className="visually-hidden">
          {label}
        </label>
        <div className="field-box">
          <Icon name="search" />
          <input
            ref={input}
            id={id}
            type="search"
            value={value}
            maxLength={512}
            placeholder={placeholder}
            autoComplete="off"
            enterKeyHint="search"
            onChange={(event) => onChange(event.target.value)}
          />
          <ClearButton
            isShown={value !== ""}
            onClear={() => {
              onChange("");
              input.current?.focus();
            }}
          />
        </div>
        {submitLabel && (
          <button type="submit" className="primary">
            {submitLabel}
          </button>
        )}
      </form>
    </search>
  );
}

/** Empties a field, at its end. Where nothing is to be emptied, there is nothing. */
export function ClearButton({ isShown, onClear }: { isShown: boolean; onClear: () => void }) {
  if (!isShown) return null;
  return (
    <button type="button" className="clear-button bare" onClick={onClear}>
      <Icon name="close" size={18} />
      <span className="visually-hidden">Clear the search field</span>
    </button>
  );
}
