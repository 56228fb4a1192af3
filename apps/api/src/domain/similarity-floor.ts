/** Of the way from what is typical to the same image: what lies nearer to the typical shows something else. */
export const similarityFloor = 0.2;

/**
 * Where image search cuts off, in a catalog whose products are typically this alike. The built-in model finds two things
 * of different kinds hardly alike at all (0); a learned encoder may find any two images 0.5 alike.
 */
export function floorAbove(typicalSimilarity: number): number {
  return typicalSimilarity + (1 - typicalSimilarity) * similarityFloor;
}
