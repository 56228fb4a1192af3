import type { SearchInsightsResponse } from "@product-search/client";
import { type PointerEvent, useState } from "react";
import { Link } from "wouter";
import { formatCount, formatPercent } from "../../service/format.ts";
import { formerSearches } from "../../service/insights-csv.ts";
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

type SearchDay = NonNullable<SearchInsightsResponse["series"]>[number];

/** The service counts days in UTC: in another time zone the dates would be others. */
const dayName = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const shortDayName = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });

/** The searches of each day as a bar, of which the part without results is marked; and the same as a table. */
export function SearchChart({ days }: { days: readonly SearchDay[] }) {
  const [shown, setShown] = useState<number>();
  const ticks = countTicks(Math.max(...days.map(({ searches }) => searches)));
  const high = ticks.at(-1) ?? 1;
  const day = shown === undefined ? undefined : days[shown];
  const point = (event: PointerEvent) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - left) / width;
    setShown(Math.max(0, Math.min(days.length - 1, Math.floor(share * days.length))));
  };
  return (
    <figure className="panel search-chart">
      <figcaption className="row spread">
        <h2>Searches by day</h2>
        <ul className="legend">
          <li>with results</li>
          <li className="is-empty">without results</li>
        </ul>
      </figcaption>
      <p className="chart-value small-text" aria-hidden="true">
        {day ? dayText(day) : <span className="muted">Point at a day to see its numbers.</span>}
      </p>
      <div className="bars" aria-hidden="true">
        <div className="count-ticks">
          {ticks.map((count) => (
            <span key={count} style={{ bottom: `${(100 * count) / high}%` }}>
              {formatCount(count)}
            </span>
          ))}
        </div>
        <div
          className="bar-plot"
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setShown(undefined)}
        >
          <svg viewBox={`0 0 ${days.length} 100`} preserveAspectRatio="none" aria-hidden="true">
            {ticks.map((count) => (
              <path key={count} className="grid-line" d={`M0 ${100 - (100 * count) / high}H${days.length}`} />
            ))}
            {days.map((one, index) => {
              const [all, empty] = [(100 * one.searches) / high, (100 * one.noResults) / high];
              return (
                <g key={one.day} className={index === shown ? "shown" : undefined}>
                  <rect
                    className="found-part"
                    x={index + 0.15}
                    width={0.7}
                    y={100 - all}
                    height={all - empty}
                  />
                  <rect className="empty-part" x={index + 0.15} width={0.7} y={100 - empty} height={empty} />
                </g>
              );
            })}
          </svg>
        </div>
        <div className="day-ticks">
          {dayTicks(days).map(({ name, day: at }) => (
            <span key={at}>{name}</span>
          ))}
        </div>
      </div>
      <details>
        <summary>Days as a table</summary>
        <div className="table-frame">
          <table className="comparison">
            <thead>
              <tr>
                <th scope="col">Day (UTC)</th>
                <th scope="col">Searches</th>
                <th scope="col">Without results</th>
                <th scope="col">Clicks</th>
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map(({ day: at, searches, noResults, clicks }) => (
                <tr key={at}>
                  <th scope="row">{dayName.format(Date.parse(at))}</th>
                  <td>{formatCount(searches)}</td>
                  <td>{formatCount(noResults)}</td>
                  <td>{formatCount(clicks)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

function dayText({ day, searches, noResults, clicks }: SearchDay): string {
  const share = searches === 0 ? "" : ` (${formatPercent((100 * noResults) / searches)})`;
  const counts = `${formatCount(searches)} searches, ${formatCount(noResults)} without results${share}`;
  return `${dayName.format(Date.parse(day))}: ${counts}, ${formatCount(clicks)} clicks`;
}

/** Zero, half and the whole of a round number above the largest count. */
function countTicks(largest: number): number[] {
  const power = 10 ** Math.floor(Math.log10(Math.max(largest, 2)));
  const high = [2, 4, 10].map((one) => one * power).find((one) => one >= largest) ?? 10 * power;
  return [0, high / 2, high];
}

function dayTicks(days: readonly SearchDay[]): { day: string; name: string }[] {
  const places = new Set([0, Math.floor((days.length - 1) / 2), days.length - 1]);
  return [...places].flatMap((place) => {
    const day = days[place]?.day;
    return day === undefined ? [] : [{ day, name: shortDayName.format(Date.parse(day)) }];
  });
}
