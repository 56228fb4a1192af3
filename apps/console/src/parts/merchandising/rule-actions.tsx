import type { FacetValue } from "@product-search/client";
import { type ReactNode, useId, useState } from "react";
import type { BoostDraft, RuleDraft } from "../../service/merchandising/rule-draft.ts";
import { readAttributeFilter } from "../../service/search/catalog-address.ts";
import { useCatalogValues } from "../../service/search/use-catalog.ts";
import { ProductLineById, ProductPicker } from "./product-line.tsx";

interface RuleActionsProps {
  draft: RuleDraft;
  onChange: (part: Partial<RuleDraft>) => void;
}

/** What the rule does: each kind of action is closed while it is empty. */
export function RuleActions({ draft, onChange }: RuleActionsProps) {
  const id = useId();
  return (
    <fieldset className="panel stack">
      <legend className="panel-title">Then</legend>
      <Action title="Pin products" count={draft.pin.length} isOpen>
        <PinnedProducts draft={draft} onChange={onChange} />
      </Action>
      <Action title="Hide products" count={draft.hide.length}>
        <HiddenProducts draft={draft} onChange={onChange} />
      </Action>
      <Action title="Raise or lower products" count={draft.boost.length}>
        <Boosts boost={draft.boost} onChange={(boost) => onChange({ boost })} />
      </Action>
      <Action title="Search for another text" count={draft.replaceQuery === "" ? 0 : 1}>
        <label htmlFor={`${id}-replace`} className="small-text">
          The text to search for instead
        </label>
        <input
          id={`${id}-replace`}
          className="wide"
          value={draft.replaceQuery}
          maxLength={512}
          onChange={(event) => onChange({ replaceQuery: event.target.value })}
        />
      </Action>
      <Action title="Open a page" count={draft.redirectUrl === "" ? 0 : 1}>
        <label htmlFor={`${id}-redirect`} className="small-text">
          The URL that your shop opens instead of the results
        </label>
        <input
          id={`${id}-redirect`}
          className="wide"
          type="url"
          value={draft.redirectUrl}
          maxLength={2000}
          placeholder="https://shop.example/sale"
          onChange={(event) => onChange({ redirectUrl: event.target.value })}
        />
      </Action>
    </fieldset>
  );
}

interface ActionProps {
  title: string;
  count: number;
  isOpen?: boolean;
  children: ReactNode;
}

function Action({ title, count, isOpen = false, children }: ActionProps) {
  const [startsOpen] = useState(isOpen || count > 0);
  return (
    <details className="action" open={startsOpen}>
      <summary>
        {title} {count > 0 && <span className="tag">{count}</span>}
      </summary>
      <div className="stack small-gap">{children}</div>
    </details>
  );
}

function PinnedProducts({ draft, onChange }: RuleActionsProps) {
  const { pin } = draft;
  const setPosition = (productId: string, position: number) =>
    onChange({ pin: pin.map((one) => (one.productId === productId ? { productId, position } : one)) });
  return (
    <>
      {pin.length > 0 && (
        <ul className="stack small-gap">
          {pin.map(({ productId, position }) => (
            <li key={productId}>
              <ProductLineById id={productId}>
                <span className="row nowrap">
                  <input
                    type="number"
                    className="short-number"
                    aria-label={`Position of ${productId}`}
                    min={1}
                    max={1000}
                    required
                    value={Number.isNaN(position) ? "" : position}
                    onChange={(event) => setPosition(productId, event.target.valueAsNumber)}
                  />
                  <RemoveButton
                    what={productId}
                    onRemove={() => onChange({ pin: pin.filter((one) => one.productId !== productId) })}
                  />
                </span>
              </ProductLineById>
            </li>
          ))}
        </ul>
      )}
      <ProductPicker
        label="Find a product to pin"
        action="Pin"
        chosen={pin.map(({ productId }) => productId)}
        onChoose={(productId) => onChange({ pin: [...pin, { productId, position: freePosition(draft) }] })}
      />
    </>
  );
}

/** The first position that no pin has. */
function freePosition({ pin }: RuleDraft): number {
  let position = 1;
  while (pin.some((one) => one.position === position)) position += 1;
  return position;
}

function HiddenProducts({ draft: { hide }, onChange }: RuleActionsProps) {
  return (
    <>
      {hide.length > 0 && (
        <ul className="stack small-gap">
          {hide.map((productId) => (
            <li key={productId}>
              <ProductLineById id={productId}>
                <RemoveButton
                  what={productId}
                  onRemove={() => onChange({ hide: hide.filter((one) => one !== productId) })}
                />
              </ProductLineById>
            </li>
          ))}
        </ul>
      )}
      <ProductPicker
        label="Find a product to hide"
        action="Hide"
        chosen={hide}
        onChoose={(productId) => onChange({ hide: [...hide, productId] })}
      />
    </>
  );
}

interface BoostsProps {
  boost: readonly BoostDraft[];
  onChange: (boost: readonly BoostDraft[]) => void;
}

const maxBoosts = 20;

function Boosts({ boost, onChange }: BoostsProps) {
  return (
    <>
      {boost.map((one, index) => (
        <Boost
          // biome-ignore lint/suspicious/noArrayIndexKey: a boost has nothing but its place.
          key={index}
          boost={one}
          onChange={(part) => onChange(boost.with(index, { ...one, ...part }))}
          onRemove={() => onChange(boost.toSpliced(index, 1))}
        />
      ))}
      {boost.length < maxBoosts && (
        <button
          type="button"
          className="small start"
          onClick={() =>
            onChange([...boost, { brands: [], categories: [], attributes: [], productIds: [], factor: 2 }])
          }
        >
          {boost.length === 0 ? "Choose brands, categories, attributes or products" : "Add another"}
        </button>
      )}
    </>
  );
}

interface BoostProps {
  boost: BoostDraft;
  onChange: (part: Partial<BoostDraft>) => void;
  onRemove: () => void;
}

function Boost({ boost, onChange, onRemove }: BoostProps) {
  const id = useId();
  const values = useCatalogValues();
  const { factor, brands, categories, attributes, productIds } = boost;
  return (
    <div className="boost stack small-gap">
      <div className="row spread">
        <label htmlFor={`${id}-factor`}>
          Factor <span className="hint">(above 1 earlier, below 1 later)</span>
        </label>
        <span className="row nowrap">
          <input
            id={`${id}-factor`}
            type="number"
            className="short-number"
            min={0.1}
            max={10}
            step="any"
            required
            value={Number.isNaN(factor) ? "" : factor}
            onChange={(event) => onChange({ factor: event.target.valueAsNumber })}
          />
          <RemoveButton what="this factor" onRemove={onRemove} />
        </span>
      </div>
      <ValueList
        label="Brands"
        values={brands}
        options={values.brands}
        onChange={(chosen) => onChange({ brands: chosen })}
      />
      <ValueList
        label="Categories"
        values={categories}
        options={values.categories}
        onChange={(chosen) => onChange({ categories: chosen })}
      />
      <ValueList
        label="Attributes, such as color:Black"
        values={attributes}
        options={values.attributes}
        isValue={(text) => readAttributeFilter(text) !== undefined}
        onChange={(chosen) => onChange({ attributes: chosen })}
      />
      {productIds.length > 0 && (
        <ul className="stack small-gap">
          {productIds.map((productId) => (
            <li key={productId}>
              <ProductLineById id={productId}>
                <RemoveButton
                  what={productId}
                  onRemove={() => onChange({ productIds: productIds.filter((one) => one !== productId) })}
                />
              </ProductLineById>
            </li>
          ))}
        </ul>
      )}
      <ProductPicker
        label="Products"
        action="Choose"
        chosen={productIds}
        onChoose={(productId) => onChange({ productIds: [...productIds, productId] })}
      />
      <p className="hint">A product must be one of each list that is not empty.</p>
    </div>
  );
}

function RemoveButton({ what, onRemove }: { what: string; onRemove: () => void }) {
  return (
    <button type="button" className="small" onClick={onRemove} aria-label={`Remove ${what}`}>
      ×
    </button>
  );
}

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
