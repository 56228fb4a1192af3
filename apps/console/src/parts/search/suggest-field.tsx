import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { formatPrice } from "../../service/format.ts";
import { catalogFieldId, type Suggestion, useSuggestions } from "../../service/search/use-catalog.ts";
import { Icon } from "../elements.tsx";
import { ProductImage } from "../product/product-grid.tsx";
import { ClearButton } from "./search-field.tsx";

const optionId = (listId: string, index: number) => `${listId}-${index}`;

const groups = [
  ["query", "Searches"],
  ["category", "Categories"],
  ["brand", "Brands"],
  ["product", "Products"],
] as const;

interface SuggestFieldProps {
  value: string;
  placeholder: string;
  onSearch: (text: string) => void;
  onChoose: (suggestion: Suggestion) => void;
}

/** The search field with suggestions, as the ARIA pattern "combobox with a list" has it. */
export function SuggestField({ value, placeholder, onSearch, onChoose }: SuggestFieldProps) {
  const listId = useId();
  const [draft, setDraft] = useState(value);
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const suggestions = useSuggestions(draft, isOpen);
  const isShown = isOpen && suggestions.length > 0;
  // Back, Forward and links change the text from outside.
  useEffect(() => setDraft(value), [value]);
  useEffect(() => input.current?.focus({ preventScroll: true }), []);

  const close = () => {
    setOpen(false);
    setActive(-1);
  };
  const choose = (suggestion: Suggestion) => {
    close();
    if (suggestion.kind === "query") setDraft(suggestion.text);
    onChoose(suggestion);
  };
  const move = (step: 1 | -1) => {
    setOpen(true);
    // One place more than there are suggestions: the field itself.
    const places = suggestions.length + 1;
    setActive((current) => ((current + 1 + step + places) % places) - 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    }
    if (event.key === "Escape" && (isShown || draft !== "")) {
      event.preventDefault();
      if (isShown) close();
      else setDraft("");
    }
  };
  const submit = () => {
    const suggestion = isShown ? suggestions[active] : undefined;
    if (suggestion) return choose(suggestion);
    close();
    onSearch(draft.trim());
  };
  return (
    <search>
      <form
        className="search-field"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) close();
        }}
      >
        <label htmlFor={catalogFieldId} className="visually-hidden">
          Search the catalog
        </label>
        <div className="field-box">
          <Icon name="search" />
          <input
            ref={input}
            id={catalogFieldId}
            role="combobox"
            aria-expanded={isShown}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={isShown && active >= 0 ? optionId(listId, active) : undefined}
            aria-keyshortcuts="/ Meta+K Control+K"
            type="search"
            value={draft}
            maxLength={512}
            placeholder={placeholder}
            autoComplete="off"
            enterKeyHint="search"
            onChange={(event) => {
              setDraft(event.target.value);
              setOpen(true);
              setActive(-1);
            }}
            onKeyDown={onKeyDown}
          />
          {draft === "" && (
            <span className="key-hint" aria-hidden="true">
              /
            </span>
          )}
          <ClearButton
            isShown={draft !== ""}
            onClear={() => {
              setDraft("");
              close();
              input.current?.focus();
            }}
          />
        </div>
        <button type="submit" className="primary">
          Search
        </button>
        <SuggestionList
          id={listId}
          suggestions={isShown ? suggestions : []}
          active={active}
          onChoose={choose}
        />
      </form>
    </search>
  );
}

interface SuggestionListProps {
  id: string;
  suggestions: readonly Suggestion[];
  /** The place of the chosen suggestion, -1 while the field itself is. */
  active: number;
  onChoose: (suggestion: Suggestion) => void;
}

/** The suggestions in groups. The focus stays in the field; a pointer chooses before the field loses it. */
function SuggestionList({ id, suggestions, active, onChoose }: SuggestionListProps) {
  useEffect(() => {
    if (active >= 0) document.getElementById(optionId(id, active))?.scrollIntoView({ block: "nearest" });
  }, [id, active]);
  return (
    <>
      <div
        id={id}
        role="listbox"
        aria-label="Suggestions"
        className="suggestions"
        hidden={suggestions.length === 0}
      >
        {groups.map(([kind, title]) => {
          const own = [...suggestions.entries()].filter(([, one]) => one.kind === kind);
          if (own.length === 0) return null;
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be inside of a listbox.
            <div key={kind} role="group" aria-label={title}>
              <p aria-hidden="true">{title}</p>
              {own.map(([index, suggestion]) => (
                // biome-ignore lint/a11y/useFocusableInteractive lint/a11y/useKeyWithClickEvents: the focus and the keys belong to the field.
                <div
                  key={optionId(id, index)}
                  id={optionId(id, index)}
                  role="option"
                  aria-selected={index === active}
                  onPointerDown={(event) => event.preventDefault()}
                  onClick={() => onChoose(suggestion)}
                >
                  <SuggestionText suggestion={suggestion} />
                </div>
              ))}
            </div>
          );
        })}
      </div>
      <p className="visually-hidden" role="status">
        {suggestions.length > 0 && `${suggestions.length} suggestions`}
      </p>
    </>
  );
}

function SuggestionText({ suggestion }: { suggestion: Suggestion }) {
  if (suggestion.kind !== "product")
    return (
      <>
        <Icon name="search" size={16} />
        <span dir="auto">{suggestion.text}</span>
      </>
    );
  const { product } = suggestion;
  return (
    <>
      <ProductImage src={product.images[0]} />
      <span dir="auto">{product.name}</span>
      <span className="muted">{formatPrice(product.price)}</span>
    </>
  );
}
