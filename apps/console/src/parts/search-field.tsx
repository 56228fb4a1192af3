import { useId } from "react";
import { Icon } from "./icon.tsx";

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
  onSubmit?: () => void;
  submitLabel?: string;
}

export function SearchField({
  label,
  value,
  onChange,
  placeholder,
  onSubmit,
  submitLabel,
}: SearchFieldProps) {
  const id = useId();
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
        <Icon name="search" />
        <input
          id={id}
          type="search"
          value={value}
          maxLength={512}
          placeholder={placeholder}
          autoComplete="off"
          enterKeyHint="search"
          onChange={(event) => onChange(event.target.value)}
        />
        {submitLabel && (
          <button type="submit" className="primary">
            {submitLabel}
          </button>
        )}
      </form>
    </search>
  );
}
