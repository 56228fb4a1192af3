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
