const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const shortDay = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const month = new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric" });
const halfYearMs = 183 * 86_400_000;

export function formatDay(atMs: number): string {
  return day.format(atMs);
}

/** Below an axis: days while they can be told apart, months of a longer time. */
export function formatDayOrMonth(atMs: number, rangeMs: number): string {
  return (rangeMs > halfYearMs ? month : shortDay).format(atMs);
}
