import { useId, useState } from "react";
import { rememberProducts } from "../../service/merchandising/use-product-by-id.ts";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { ProductLine } from "./product-line.tsx";

const pauseMs = 200;

interface ProductPickerProps {
  label: string;
  /** What the button beside a product says. */
  action: string;
  chosen: readonly string[];
  onChoose: (id: string) => void;
}

/** Finds products by their words, or takes the number of a product as it is. */
export function ProductPicker({ label, action, chosen, onChoose }: ProductPickerProps) {
  const id = useId();
  const { client } = useService();
  const [text, setText] = useState("");
  const q = text.trim();
  const request = useRequest(
    q === "" ? undefined : q,
    async (signal) => {
      // Not a search, which would be counted among those of the customers.
      const { Products } = await client.suggest({ q }, { signal });
      rememberProducts(Products);
      return Products;
    },
    pauseMs,
  );
  const products = (q === "" ? [] : (request.response ?? [])).filter(({ _id }) => !chosen.includes(_id));
  const choose = (productId: string) => {
    onChoose(productId);
    setText("");
  };
  const isIdentifier = q !== "" && !/\s/.test(q) && !chosen.includes(q);
  return (
    <div className="picker">
      <label htmlFor={`${id}-text`} className="small-text">
        {label}
      </label>
      <input
        id={`${id}-text`}
        type="search"
        value={text}
        maxLength={100}
        placeholder="Name or product number"
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          // Enter in this field must not save the whole rule.
          if (event.key === "Enter") event.preventDefault();
          if (event.key === "Escape") setText("");
        }}
      />
      {q !== "" && (
        <ul className="picker-results">
          {products.map((product) => (
            <li key={product._id}>
              <ProductLine product={product}>
                <button type="button" className="small" onClick={() => choose(product._id)}>
                  {action}
                  <span className="visually-hidden"> {product.name}</span>
                </button>
              </ProductLine>
            </li>
          ))}
          {request.phase === "done" && isIdentifier && (
            <li>
              <button type="button" className="small" onClick={() => choose(q)}>
                Use the product number “{q}”
              </button>
            </li>
          )}
        </ul>
      )}
      <p className="visually-hidden" role="status">
        {request.phase === "done" && q !== "" && `${products.length} products`}
      </p>
      {request.phase === "failed" && <p className="field-fault">The products could not be searched.</p>}
    </div>
  );
}
