import type { AnyProduct } from "@product-search/client";
import type { ReactNode } from "react";
import { useProductById } from "../../service/merchandising/use-product-by-id.ts";
import { formatPrice } from "../../service/money.ts";
import { useService } from "../../service/service-context.tsx";
import { EmptyNotice } from "../notice.tsx";
import { OperatorLink } from "../operator-link.tsx";
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
