import { useEffect } from "react";
import type { Suggestion } from "../../service/catalog/use-suggestions.ts";
import { formatPrice } from "../../service/money.ts";
import { Icon } from "../icon.tsx";
import { ProductImage } from "../product/product-image.tsx";

interface SuggestionListProps {
  id: string;
  suggestions: readonly Suggestion[];
  /** The place of the chosen suggestion, -1 while the field itself is. */
  active: number;
  onChoose: (suggestion: Suggestion) => void;
}

export const optionId = (listId: string, index: number) => `${listId}-${index}`;

const groups = [
  ["query", "Searches"],
  ["category", "Categories"],
  ["brand", "Brands"],
  ["product", "Products"],
] as const;

/** The suggestions in groups. The focus stays in the field; a pointer chooses before the field loses it. */
export function SuggestionList({ id, suggestions, active, onChoose }: SuggestionListProps) {
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
