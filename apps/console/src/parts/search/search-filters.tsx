import { useId } from "react";
import { sortingIndex, sortings } from "../../service/catalog/sortings.ts";
import { currency } from "../../service/money.ts";
import { useQueryState } from "../../service/use-query-state.ts";

/** Price bounds and order of the catalog search, kept in the page's address. */
export function SearchFilters({ fault }: { fault: string | undefined }) {
  const faultId = useId();
  const [least, setLeast] = useQueryState("min");
  const [most, setMost] = useQueryState("max");
  const [sort, setSort] = useQueryState("sort");
  const [order, setOrder] = useQueryState("order");
  const priceField = (label: string, value: string, onChange: (value: string) => void) => (
    <input
      aria-label={label}
      aria-invalid={fault !== undefined}
      aria-describedby={fault === undefined ? undefined : faultId}
      inputMode="decimal"
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      size={6}
    />
  );
  return (
    <div className="filters">
      <fieldset className="price-fields">
        <legend className="visually-hidden">Price</legend>
        <span aria-hidden="true">{currency} from</span>
        {priceField("Lowest price", least, setLeast)}
        <span aria-hidden="true">to</span>
        {priceField("Highest price", most, setMost)}
      </fieldset>
      <label>
        Sort by
        <select
          value={sortingIndex(sort, order)}
          onChange={(event) => {
            const [, chosen = {}] = sortings[Number(event.target.value)] ?? [];
            setSort(chosen.sort ?? "");
            setOrder(chosen.order ?? "");
          }}
        >
          {sortings.map(([name], index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {fault && (
        <p id={faultId} className="field-fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
