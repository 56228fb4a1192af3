import type { AnyProduct } from "@product-search/client";
import { type ReactNode, useId, useState } from "react";
import { formatPrice } from "../../service/format.ts";
import { rememberProducts, useProductById } from "../../service/merchandising/use-product-by-id.ts";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { OperatorLink } from "../elements.tsx";
import { EmptyNotice } from "../notice.tsx";
import { ProductImage } from "../product/product-grid.tsx";
import { tokenBoxId } from "../shell/token-box-id.ts";

/** A product in one line, small enough to stand in a list of a form; `children` are what can be done with it. */
export function ProductLine({ product, children }: { product: AnyProduct; children?: ReactNode }) {
  return (
    <Line image={product.images[0]} name={product.name} note={formatPrice(product.price)}>
      {children}
    </Line>
  );
}

/** The same where a rule has only the identifier. */
export function ProductLineById({ id, children }: { id: string; children?: ReactNode }) {
  const product = useProductById(id);
  if (product) return <ProductLine product={product}>{children}</ProductLine>;
  const note = product === null ? `${id}: not in the catalog, so nothing happens` : id;
  return (
    <Line image={undefined} name={product === null ? "No such product" : "…"} note={note}>
      {children}
    </Line>
  );
}

interface LineProps {
  image: string | undefined;
  name: string;
  note: string;
  children: ReactNode;
}

function Line({ image, name, note, children }: LineProps) {
  return (
    <div className="product-line">
      <ProductImage key={image} src={image} />
      <div>
        <span className="product-line-name" dir="auto">
          {name}
        </span>
        <span className="muted small-text">{note}</span>
      </div>
      {children}
    </div>
  );
}

/** Stands where a response would while the person or the token lacks the scope `merchandising`. */
export function ScopeNotice({ what }: { what: string }) {
  const { person } = useService();
  if (person)
    return (
      <EmptyNotice title={`${what} is not open to you`}>
        <p>Ask whoever invited you for another invitation, with merchandising.</p>
      </EmptyNotice>
    );
  return (
    <EmptyNotice title={`${what} needs a token of the scope “merchandising”`}>
      <p>
        Your token does not have it. Whoever operates the service makes one with{" "}
        <code>pnpm api token create --account NAME --scopes search,merchandising</code>. The token that{" "}
        <code>pnpm start</code> prints has it. <OperatorLink>More about tokens</OperatorLink>
      </p>
      <button type="button" className="primary" popoverTarget={tokenBoxId}>
        Set another token
      </button>
    </EmptyNotice>
  );
}

/** The addresses of the screen Merchandising, also of a rule or a synonym that is begun on another screen. */
export const rulesPath = "/merchandising";
export const draftPath = `${rulesPath}?tab=draft`;
export const synonymsPath = `${rulesPath}?tab=synonyms`;

export function rulePath(id: string): string {
  return `${rulesPath}?${new URLSearchParams({ rule: id })}`;
}

export function newRulePath(query = ""): string {
  return `${rulesPath}?${new URLSearchParams({ rule: "new", ...(query !== "" && { query }) })}`;
}

/** What people search for is to find what the shop calls otherwise. */
export function newSynonymPath(query: string): string {
  return `${rulesPath}?${new URLSearchParams({ tab: "synonyms", add: `${query} → ` })}`;
}

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
