import type { Product } from "@product-search/client";
import { Fragment } from "react";
import { Link } from "wouter";
import { productPath } from "../../service/product/product-path.ts";

interface AnswerTextProps {
  text: string;
  /** The products that the text may name. */
  products: readonly Product[];
  isComplete: boolean;
}

/** The written answer. Where it names a product of the catalog, the name leads to it; links have the width of the words. */
export function AnswerText({ text, products, isComplete }: AnswerTextProps) {
  const paths = namePaths(products);
  const parts = splitAtNames(text, [...paths.keys()]);
  return (
    <p className="answer-text" aria-live="polite" aria-busy={!isComplete}>
      {parts.map(({ offset, text: part }) => {
        const path = paths.get(part);
        // The key is the place in the text: a part that becomes a link moves no other part.
        return path === undefined ? (
          <Fragment key={`text ${offset}`}>{part}</Fragment>
        ) : (
          <Link key={`link ${offset}`} href={path}>
            {part}
          </Link>
        );
      })}
    </p>
  );
}

/** Whole names, and what comes before their comma where only one product has it. */
function namePaths(products: readonly Product[]): Map<string, string> {
  const shortNames = Map.groupBy(products, ({ name }) => name.split(",")[0] ?? name);
  const short = [...shortNames].flatMap(([name, [only, another]]): [string, string][] =>
    only && !another && name.includes(" ") ? [[name, productPath(only)]] : [],
  );
  return new Map([...short, ...products.map((product) => [product.name, productPath(product)] as const)]);
}

/** The text in parts; every second one is a name. The longest name wins. */
function splitAtNames(text: string, names: readonly string[]): { offset: number; text: string }[] {
  if (names.length === 0) return [{ offset: 0, text }];
  const longestFirst = names.toSorted((one, other) => other.length - one.length);
  const pattern = longestFirst.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  let offset = 0;
  return text.split(new RegExp(`(${pattern})`, "u")).map((part) => {
    offset += part.length;
    return { offset: offset - part.length, text: part };
  });
}
