import type { Fault } from "./faults.ts";

/** Something that missed a goal, and when: milliseconds since the disturbance began. */
export interface Missed {
  what: string;
  fromMs: number;
  toMs: number;
}

/** Each thing that missed a goal, with the faults that it fell in, and how many fell in each sort of fault. */
export function describeCauses(name: string, missed: readonly Missed[], faults: readonly Fault[]): string[] {
  const sorts = new Map<string, number>();
  const lines = missed.map((one) => {
    const causes = faults.filter((fault) => overlaps(fault, one));
    const found = new Set(causes.map(({ action, part }) => `${action} ${part.split("-")[0]}`));
    for (const sort of found.size > 0 ? found : ["no fault"]) sorts.set(sort, (sorts.get(sort) ?? 0) + 1);
    const during = causes
      .map(({ action, part, atSeconds }) => `${action} ${part} at ${atSeconds} s`)
      .join(", ");
    return `${name}: ${one.what} at ${Math.round(one.fromMs / 100) / 10} s, during ${during || "no fault"}`;
  });
  const counts = [...sorts].toSorted((a, b) => b[1] - a[1]).map(([sort, count]) => `${count} in ${sort}`);
  return lines.length === 0 ? [] : [`${name}, ${missed.length} in all: ${counts.join(", ")}`, ...lines];
}

/** From the beginning of the fault until the part was healthy again. */
function overlaps({ atSeconds, seconds, recoveredSeconds }: Fault, { fromMs, toMs }: Missed): boolean {
  const endSeconds = atSeconds + (recoveredSeconds ?? seconds);
  return atSeconds * 1000 <= toMs && endSeconds * 1000 >= fromMs;
}
