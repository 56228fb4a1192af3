import type { Box } from "../vision-model.ts";
import { boxOverlap } from "./box-overlap.ts";
import { cellSide, viewSide } from "./cells.ts";

/** Of all cells' boxes, those below are left out. */
const minFit = 0.1;
/** From this overlap on, two boxes are of one object. */
const sameObject = 0.45;
const maxBoxes = 20;

export const evidenceLength = 6;

/** The box that a cell proposes, in pixels of the view. */
export interface CellBox {
  readonly box: Box;
  /** The overlap with an object that the cell expects: 0 to 1. */
  readonly fit: number;
}

interface ProposedBox {
  readonly box: Box;
  /**
   * 1, the best cell's fit as a logit, how many of the cells that it could have support it, their number as a logarithm,
   * the overlap with a better box, its size.
   */
  readonly evidence: readonly number[];
}

/**
 * The boxes of cells that agree become one, the fitter counting more. The best come first. They are in pixels of an image
 * of that size, which is in the middle of the view.
 */
export function joinBoxes(
  cells: readonly CellBox[],
  { width, height }: { readonly width: number; readonly height: number },
): ProposedBox[] {
  const margins = { x: (viewSide - width) >> 1, y: (viewSide - height) >> 1 };
  let left = cells.filter(({ fit }) => fit >= minFit).sort((a, b) => b.fit - a.fit);
  const proposed: ProposedBox[] = [];
  while (proposed.length < maxBoxes) {
    const [best] = left;
    if (best === undefined) break;
    const same = left.filter(({ box }) => boxOverlap(box, best.box) >= sameObject);
    left = left.filter((cell) => !same.includes(cell));
    const mean = meanBox(same);
    const box = { ...mean, x: mean.x - margins.x, y: mean.y - margins.y };
    const support = same.reduce((sum, { fit }) => sum + fit, 0);
    const expected = (box.width * box.height) / cellSide ** 2;
    const rival = Math.max(0, ...proposed.map((other) => boxOverlap(other.box, box)));
    proposed.push({
      box,
      evidence: [
        1,
        Math.log(best.fit / (1 - best.fit)),
        Math.min(1.5, support / expected),
        Math.log(support),
        rival,
        Math.sqrt((box.width * box.height) / (width * height)),
      ],
    });
  }
  return proposed;
}

export function confidenceOf(evidence: readonly number[], weights: ArrayLike<number>): number {
  return 1 / (1 + Math.exp(-evidence.reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0)));
}

function meanBox(cells: readonly CellBox[]): Box {
  const mean = (of: (box: Box) => number) => {
    let [sum, total] = [0, 0];
    for (const { box, fit } of cells) {
      sum += of(box) * fit * fit;
      total += fit * fit;
    }
    return sum / total;
  };
  const [x, y] = [mean((box) => box.x), mean((box) => box.y)];
  return { x, y, width: mean((box) => box.x + box.width) - x, height: mean((box) => box.y + box.height) - y };
}
