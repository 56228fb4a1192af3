import { type KeyboardEvent, type PointerEvent, useState } from "react";
import { formatDay, formatPrice, timeTicks } from "../../service/format.ts";
import {
  type PricePoint,
  priceAt,
  pricesSince,
  priceTicks,
  timeRanges,
} from "../../service/product/price-history.ts";

/** The price history of a product: a chart of a time that one chooses, and the same as a table. */
export function PriceFigure({ points }: { points: readonly PricePoint[] }) {
  const [range, setRange] = useState("All");
  const now = Date.now();
  const [first] = points;
  if (!first) return null;
  const ranges = timeRanges(now - first.atMs);
  const lengthMs = ranges.find(([name]) => name === range)?.[1] ?? Number.POSITIVE_INFINITY;
  const fromMs = Math.max(first.atMs, now - lengthMs);
  const shown = pricesSince(points, fromMs);
  return (
    <figure className="panel price-figure">
      <figcaption className="row spread">
        <h2>Price history</h2>
        {ranges.length > 1 && (
          <fieldset className="segmented">
            <legend className="visually-hidden">Time</legend>
            {ranges.map(([name]) => (
              <label key={name}>
                <input type="radio" name="time" checked={range === name} onChange={() => setRange(name)} />
                <span>{name}</span>
              </label>
            ))}
          </fieldset>
        )}
      </figcaption>
      <PricePlot key={range} points={shown} fromMs={fromMs} toMs={now} />
      <details>
        <summary>Prices as a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              <th scope="col">Price</th>
            </tr>
          </thead>
          <tbody>
            {shown.toReversed().map(({ atMs, price }) => (
              <tr key={`${atMs} ${price}`}>
                <td>{formatDay(atMs)}</td>
                <td>{formatPrice(price)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

interface PricePlotProps {
  /** At least one, oldest first. */
  points: readonly PricePoint[];
  fromMs: number;
  toMs: number;
}

/** Prices as steps between two axes. Pointing at it, or the arrow keys, say the price of a day. */
function PricePlot({ points, fromMs, toMs }: PricePlotProps) {
  const [shownMs, setShownMs] = useState<number>();
  const ticks = priceTicks(points);
  const high = ticks.at(-1) ?? 1;
  const x = (atMs: number) => (100 * (atMs - fromMs)) / Math.max(1, toMs - fromMs);
  const y = (price: number) => 100 - (100 * price) / high;
  const shown = priceAt(points, shownMs ?? toMs);
  const index = shown ? points.indexOf(shown) : 0;
  const text = shown ? `${formatPrice(shown.price)} from ${formatDay(shown.atMs)}` : "";

  const point = (event: PointerEvent) => {
    const bounds = event.currentTarget.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - bounds.left) / bounds.width));
    setShownMs(fromMs + share * (toMs - fromMs));
  };
  const move = (event: KeyboardEvent) => {
    const target = keyTarget(event.key, index, points.length - 1);
    if (target === undefined) return;
    event.preventDefault();
    setShownMs(points[target]?.atMs);
  };
  return (
    <div className="price-plot">
      <p className="price-value" aria-hidden="true">
        {text}
      </p>
      <div className="price-ticks" aria-hidden="true">
        {ticks.map((price) => (
          <span key={price} style={{ top: `${y(price)}%` }}>
            {formatPrice(price)}
          </span>
        ))}
      </div>
      <div
        className="plot"
        role="slider"
        tabIndex={0}
        aria-label="Price history"
        aria-valuemin={1}
        aria-valuemax={points.length}
        aria-valuenow={index + 1}
        aria-valuetext={text}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setShownMs(undefined)}
        onKeyDown={move}
      >
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          {ticks.map((price) => (
            <path key={price} className="grid-line" d={`M0 ${y(price)}H100`} />
          ))}
          <path className="area" d={`${steps(points, x, y)}V100H${x(points[0]?.atMs ?? fromMs)}Z`} />
          <path className="curve" d={steps(points, x, y)} />
        </svg>
        {shown && shownMs !== undefined && (
          <>
            <span className="plot-line" style={{ left: `${x(Math.max(shownMs, shown.atMs))}%` }} />
            <span
              className="plot-dot"
              style={{ left: `${x(Math.max(shownMs, shown.atMs))}%`, top: `${y(shown.price)}%` }}
            />
          </>
        )}
      </div>
      <div className="time-ticks" aria-hidden="true">
        {timeTicks(fromMs, toMs).map(({ share, text }) => (
          <span key={share} style={{ left: `${share * 100}%`, translate: `${share * -100}%` }}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}

type Scale = (value: number) => number;

function steps(points: readonly PricePoint[], x: Scale, y: Scale): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const moves = rest.map(({ atMs, price }) => `H${x(atMs)}V${y(price)}`).join("");
  return `M${x(first.atMs)} ${y(first.price)}${moves}H100`;
}

/** Which price a key leads to. */
function keyTarget(key: string, index: number, last: number): number | undefined {
  if (key === "ArrowLeft" || key === "ArrowDown") return Math.max(0, index - 1);
  if (key === "ArrowRight" || key === "ArrowUp") return Math.min(last, index + 1);
  if (key === "Home") return 0;
  return key === "End" ? last : undefined;
}
