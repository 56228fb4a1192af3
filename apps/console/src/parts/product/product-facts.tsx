import type { ReactNode } from "react";
import type { FoundProduct } from "../../service/product/use-product.ts";
import { Rating } from "./rating.tsx";

const stockTexts = {
  in_stock: "In stock",
  out_of_stock: "Out of stock",
  preorder: "Available for preorder",
  backorder: "On backorder",
} as const;

export function ProductFacts({ product, availability }: FoundProduct) {
  const { averageRating } = product;
  const reviews = "reviewCount" in product ? product.reviewCount : undefined;
  const score = "serviceScore" in product ? product.serviceScore : undefined;
  return (
    <>
      <dl className="facts">
        {availability && (
          <Fact name="Stock">
            <span
              className={availability === "out_of_stock" ? "status-dot off" : "status-dot on"}
              aria-hidden="true"
            />{" "}
            {stockTexts[availability]}
          </Fact>
        )}
        {averageRating !== undefined && (
          <Fact name="Rating">
            <Rating value={averageRating} {...(reviews !== undefined && { count: reviews })} />
          </Fact>
        )}
        {score !== undefined && <Fact name="Quality score">{score} out of 100</Fact>}
        <Fact name="Identifier">
          <code>{product._id}</code>
        </Fact>
      </dl>
      {"description" in product && product.description !== "" && <p dir="auto">{product.description}</p>}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
