const columns = 4;
const panel = { width: 230, height: 150 };
const margin = { left: 24, right: 30, top: 34, bottom: 26 };

/**
 * One small chart for each title, with its values over the same sizes. Both axes are logarithmic and, unless values spread
 * further than sizes, have the same factor from end to end: what grows as the catalog does is a diagonal.
 */
export function plot(
  unit: string,
  sizes: readonly number[],
  panels: ReadonlyMap<string, readonly number[]>,
): string {
  const rows = Math.ceil(panels.size / columns);
  const [width, height] = [columns * panel.width, rows * panel.height];
  const charts = [...panels].map(([title, values], i) => {
    const [x, y] = [(i % columns) * panel.width, Math.floor(i / columns) * panel.height];
    return `<g transform="translate(${x} ${y})">${chart(title, sizes, values)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${[...panels.keys()].join("; ")}, by the number of ${unit}</title>
<style>
svg { background: #fff; font: 11px sans-serif; fill: #222; }
.title { font-weight: bold; }
polyline { fill: none; stroke: #0b6b57; stroke-width: 2; }
circle { fill: #0b6b57; }
.axis { stroke: #999; stroke-width: 1; }
@media (prefers-color-scheme: dark) {
  svg { background: #16181a; fill: #e6e6e6; }
  polyline { stroke: #5fd0b3; }
  circle { fill: #5fd0b3; }
}
</style>
${charts.join("\n")}
</svg>
`;
}

function chart(title: string, sizes: readonly number[], values: readonly number[]): string {
  const bottom = panel.height - margin.bottom;
  const decades = Math.log10(Math.max(...sizes) / Math.min(...sizes));
  const toX = scale(sizes, decades, [margin.left, panel.width - margin.right]);
  const toY = scale(values, decades, [bottom - 8, margin.top + 14]);
  const points = sizes.map((size, i) => ({
    size,
    value: values[i] ?? 0,
    x: toX(size),
    y: toY(values[i] ?? 0),
  }));
  const labels = points.map(
    ({ size, value, x, y }) =>
      `<circle cx="${x}" cy="${y}" r="3"/><text x="${x}" y="${y - 7}" text-anchor="middle">${value}</text>` +
      `<text x="${x}" y="${bottom + 14}" text-anchor="middle">${short(size)}</text>`,
  );
  return (
    `<text class="title" x="${margin.left}" y="16">${title}</text>` +
    `<line class="axis" x1="${margin.left}" x2="${panel.width - margin.right}" y1="${bottom}" y2="${bottom}"/>` +
    `<polyline points="${points.map(({ x, y }) => `${x},${y}`).join(" ")}"/>${labels.join("")}`
  );
}

/** Places values between two ends, which are at least so many `decades` apart; 0 at the first. */
function scale(
  values: readonly number[],
  decades: number,
  [first, last]: readonly [number, number],
): (value: number) => number {
  const logs = values.filter((value) => value > 0).map(Math.log10);
  const [least, most] = [Math.min(...logs), Math.max(...logs)];
  const span = Math.max(decades, most - least);
  return (value) =>
    value <= 0 || span === 0
      ? first
      : Math.round(first + ((last - first) * (Math.log10(value) - least)) / span);
}

/** 20 000 as 20k, 4 000 000 as 4M. */
function short(size: number): string {
  if (size >= 1e6) return `${size / 1e6}M`;
  return size >= 1e3 ? `${size / 1e3}k` : String(size);
}
