import { formatPrice } from "../service/money.ts";

const width = 120;
const height = 32;

/** Price steps over time: a price holds until the next entry. */
export function PriceChart({ history }: { history: readonly { price: number; date: string }[] }) {
  const first = history[0];
  const last = history.at(-1);
  if (!first || !last || history.length < 2) return null;
  const times = history.map(({ date }) => Date.parse(date));
  const prices = history.map(({ price }) => price);
  const [from, to] = [Math.min(...times), Math.max(...times, Date.now())];
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const x = (time: number) => ((time - from) / Math.max(1, to - from)) * width;
  const y = (price: number) => height - 3 - ((price - low) / Math.max(0.01, high - low)) * (height - 6);
  const path = history
    .map(({ price }, index) => {
      const time = times[index] ?? from;
      return index === 0
        ? `M${x(time).toFixed(1)} ${y(price).toFixed(1)}`
        : `H${x(time).toFixed(1)}V${y(price).toFixed(1)}`;
    })
    .join("");
  const summary = `Price since ${new Date(first.date).toLocaleDateString()}: from ${formatPrice(low)} to ${formatPrice(high)}`;
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
