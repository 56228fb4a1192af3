import { Link } from "wouter";
import {
  type CatalogAddress,
  pageCount,
  writeCatalogAddress,
} from "../../service/catalog/catalog-address.ts";
import { formatCount } from "../../service/money.ts";

interface PaginationProps {
  address: CatalogAddress;
  results: number;
  /** A link was followed; not when Back or Forward turn the page. */
  onTurn: () => void;
}

/** Pages as links: each has a URL, and Back returns to the one before. */
export function Pagination({ address, results, onTurn }: PaginationProps) {
  const last = pageCount(results);
  if (last === 1) return null;
  const { page } = address;
  const link = (target: number, text: string, rel?: "prev" | "next") => (
    <Link
      href={writeCatalogAddress({ ...address, page: target })}
      className="chip"
      onClick={onTurn}
      {...(rel && { rel })}
    >
      {text}
    </Link>
  );
  return (
    <nav aria-label="Pages" className="pagination">
      {page > 1 && link(page - 1, "Previous page", "prev")}
      {page > 2 && link(1, "First page")}
      <span aria-current="page">
        Page {formatCount(page)} of {formatCount(last)}
      </span>
      {page < last && link(page + 1, "Next page", "next")}
    </nav>
  );
}
