import type { SearchInsightsResponse } from "@product-search/client";
import { Link } from "wouter";
import { formatCount, formatPercent } from "../../service/money.ts";
import { newRulePath, newSynonymPath } from "../merchandising/merchandising-paths.ts";

/** Texts that people search for, each with what can be done about it. */
export function SearchTable({ searches }: { searches: SearchInsightsResponse["searches"] }) {
  return (
    <div className="table-frame">
      <table className="comparison search-table">
        <thead>
          <tr>
            <th scope="col">Search</th>
            <th scope="col">Searches</th>
            <th scope="col">Results</th>
            <th scope="col">Clicks</th>
            <th scope="col">Position clicked</th>
            <th scope="col">Improve it</th>
          </tr>
        </thead>
        <tbody>
          {searches.map(({ query, searches: count, results, clickRate, averagePosition }) => (
            <tr key={query}>
              <th scope="row" dir="auto">
                <Link href={`/?${new URLSearchParams({ q: query })}`}>{query}</Link>
              </th>
              <td data-name="Searches">{formatCount(count)}</td>
              <td data-name="Results">
                {results === 0 ? <span className="tag failed">none</span> : formatCount(results)}
              </td>
              <td data-name="Clicks">{formatPercent(100 * clickRate)}</td>
              <td data-name="Position clicked">{averagePosition}</td>
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
          ))}
        </tbody>
      </table>
    </div>
  );
}
