import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { catalogFieldId } from "../../service/catalog/catalog-field-id.ts";
import type { Suggestion } from "../../service/catalog/use-suggestions.ts";
import { useSuggestions } from "../../service/catalog/use-suggestions.ts";
import { Icon } from "../icon.tsx";
import { optionId, SuggestionList } from "./suggestion-list.tsx";

interface SuggestFieldProps {
  value: string;
  onSearch: (text: string) => void;
  onChoose: (suggestion: Suggestion) => void;
}

/** The search field with suggestions, as the ARIA pattern "combobox with a list" has it. */
export function SuggestField({ value, onSearch, onChoose }: SuggestFieldProps) {
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
          placeholder="running shoes"
          autoComplete="off"
          enterKeyHint="search"
          onChange={(event) => {
            setDraft(event.target.value);
            setOpen(true);
            setActive(-1);
          }}
          onKeyDown={onKeyDown}
        />
        <span className="key-hint" aria-hidden="true">
          /
        </span>
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
