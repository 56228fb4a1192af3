import { formatPrice } from "../../service/money.ts";

interface PriceEntry {
  price: number;
  date: string;
}

const width = 120;
const height = 32;

/** Price steps over time: a price holds until the next entry, the last one until now. */
export function PriceChart({ history }: { history: readonly PriceEntry[] }) {
  if (history.length === 0) return null;
  const times = history.map(({ date }) => Date.parse(date));
  const prices = history.map(({ price }) => price);
  const [from, to] = [Math.min(...times), Math.max(...times, Date.now())];
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const x = (time: number) => ((time - from) / Math.max(1, to - from)) * width;
  const y = (price: number) =>
    low === high ? height / 2 : height - 3 - ((price - low) / (high - low)) * (height - 6);
  const path = history
    .map(({ price }, index) => {
      const time = times[index] ?? from;
      return index === 0
        ? `M${x(time).toFixed(1)} ${y(price).toFixed(1)}`
        : `H${x(time).toFixed(1)}V${y(price).toFixed(1)}`;
    })
    .join("");
  const summary = `Price ${summarize(history)}`;
  return (
    <svg
      className="price-chart"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={summary}
      preserveAspectRatio="none"
    >
      <title>{summary}</title>
      <path className="area" d={`${path}H${width}V${height}H0Z`} />
      <path className="line" d={`${path}H${width}`} />
    </svg>
  );
}

/** The history in words, for whoever does not see the chart, and below it. */
export function summarize(history: readonly PriceEntry[]): string {
  const prices = history.map(({ price }) => price);
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const since = `since ${new Date(history[0]?.date ?? 0).toLocaleDateString()}`;
  return low === high
    ? `${since}: always ${formatPrice(low)}`
    : `${since}: between ${formatPrice(low)} and ${formatPrice(high)}`;
}
