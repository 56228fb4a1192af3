import { useState } from "react";
import { formatDay } from "../../service/days.ts";
import { formatPrice } from "../../service/money.ts";
import { type PricePoint, pricesSince, timeRanges } from "../../service/product/price-history.ts";
import { PricePlot } from "./price-plot.tsx";

/** The price history of a product: a chart of a time that one chooses, and the same as a table. */
export function PriceFigure({ points }: { points: readonly PricePoint[] }) {
  const [range, setRange] = useState("All");
  const now = Date.now();
  const [first] = points;
  if (!first) return null;
  const lengthMs = timeRanges.find(([name]) => name === range)?.[1] ?? Number.POSITIVE_INFINITY;
  const fromMs = Math.max(first.atMs, now - lengthMs);
  const shown = pricesSince(points, fromMs);
  return (
    <figure className="panel price-figure">
      <figcaption className="row spread">
        <h2>Price history</h2>
        <fieldset className="segmented">
          <legend className="visually-hidden">Time</legend>
          {timeRanges.map(([name]) => (
            <label key={name}>
              <input type="radio" name="time" checked={range === name} onChange={() => setRange(name)} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
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
