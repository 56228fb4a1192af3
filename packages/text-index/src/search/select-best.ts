/**
 * Rearranges `order[from, to)` so that its elements before `place` are the best ones, unsorted (Hoare's quickselect).
 * `compare` is negative if its first argument is better, and never 0 for two different elements.
 */
export function selectBest(
  order: Uint32Array,
  from: number,
  to: number,
  place: number,
  compare: (a: number, b: number) => number,
): void {
  let low = from;
  let high = to - 1;
  while (low < high && place > low && place <= high) {
    const pivot = order[(low + high) >>> 1] ?? 0;
    let left = low - 1;
    let right = high + 1;
    for (;;) {
      do left++;
      while (compare(order[left] ?? 0, pivot) < 0);
      do right--;
      while (compare(order[right] ?? 0, pivot) > 0);
      if (left >= right) break;
      const moved = order[left] ?? 0;
      order[left] = order[right] ?? 0;
      order[right] = moved;
    }
    if (place <= right + 1) high = right;
    else low = right + 1;
  }
}

const fewElements = 64;

/** Sorts `order[from, to)`. For the few elements of a page, insertion is faster than a call of `sort`. */
export function sortPart(
  order: Uint32Array,
  from: number,
  to: number,
  compare: (a: number, b: number) => number,
): void {
  if (to - from > fewElements) {
    order.subarray(from, to).sort(compare);
    return;
  }
  for (let i = from + 1; i < to; i++) {
    const moved = order[i] ?? 0;
    let at = i;
    for (; at > from && compare(order[at - 1] ?? 0, moved) > 0; at--) order[at] = order[at - 1] ?? 0;
    order[at] = moved;
  }
}
