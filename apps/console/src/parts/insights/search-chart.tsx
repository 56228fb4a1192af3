import type { SearchInsightsResponse } from "@product-search/client";
import { type PointerEvent, useState } from "react";
import { formatCount, formatPercent } from "../../service/money.ts";

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
