import type { AnyProduct } from "@product-search/client";
import type { ReactNode } from "react";
import { useProductById } from "../../service/merchandising/use-product-by-id.ts";
import { formatPrice } from "../../service/money.ts";
import { ProductImage } from "../product/product-image.tsx";

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
  const note = product === null ? `${id} is not in the catalog and does nothing` : id;
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
