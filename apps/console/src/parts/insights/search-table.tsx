import type { SearchInsightsResponse } from "@product-search/client";
import { Link } from "wouter";
import { formerSearches } from "../../service/insights-csv.ts";
import { formatCount, formatPercent } from "../../service/money.ts";
import { productPath } from "../../service/product/use-product.ts";
import { newRulePath, newSynonymPath } from "../merchandising/product-line.tsx";

type Insight = SearchInsightsResponse["searches"][number];

interface SearchTableProps {
  searches: readonly Insight[];
  /** The most frequent of the period before. */
  before: SearchInsightsResponse;
}

/** Texts that people search for, each with what can be done about it. */
export function SearchTable({ searches, before }: SearchTableProps) {
  const isComparable = before.totals.searches > 0;
  return (
    <div className="table-frame">
      <table className="comparison search-table">
        <thead>
          <tr>
            <th scope="col">Search</th>
            <th scope="col">Searches</th>
            {isComparable && <th scope="col">Before</th>}
            <th scope="col">Results</th>
            <th scope="col">Clicks</th>
            <th scope="col">Position clicked</th>
            <th scope="col">Products clicked afterwards</th>
            <th scope="col">Improve it</th>
          </tr>
        </thead>
        <tbody>
          {searches.map(
            ({ query, searches: count, results, clickRate, averagePosition, clickedProducts = [] }) => (
              <tr key={query}>
                <th scope="row" dir="auto">
                  <Link href={`/?${new URLSearchParams({ q: query })}`}>{query}</Link>
                </th>
                <td data-name="Searches">{formatCount(count)}</td>
                {isComparable && <td data-name="Before">{formerText(query, before)}</td>}
                <td data-name="Results">
                  {results === 0 ? <span className="tag failed">none</span> : formatCount(results)}
                </td>
                <td data-name="Clicks">{formatPercent(100 * clickRate)}</td>
                <td data-name="Position clicked">{averagePosition}</td>
                <td
                  className="names"
                  data-name={clickedProducts.length > 0 ? "Clicked afterwards" : undefined}
                >
                  {clickedProducts.length > 0 && (
                    <ul>
                      {clickedProducts.map(({ clicks, ...product }) => (
                        <li key={product._id}>
                          <Link href={productPath(product)} dir="auto">
                            {product.name}
                          </Link>{" "}
                          <span className="muted">{formatCount(clicks)}</span>
                        </li>
                      ))}
                    </ul>
                  )}
                </td>
                <td>
                  <div className="row">
                    <Link href={newSynonymPath(query)}>
                      Synonym<span className="visually-hidden"> for {query}</span>
                    </Link>
                    <Link href={newRulePath(query)}>
                      Rule<span className="visually-hidden"> for {query}</span>
                    </Link>
                  </div>
                </td>
              </tr>
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Rarer searches of the period before are not listed there. */
function formerText(query: string, before: SearchInsightsResponse): string {
  const count = formerSearches(query, before);
  return count === undefined ? "few" : formatCount(count);
}
