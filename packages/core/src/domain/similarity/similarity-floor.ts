/**
 * The minimum similarity, as a share of the way from the typical similarity to 1. Images below it show something else.
 * With the built-in model, 8 % of photographs find another kind of thing at 0.25 and 98 % still their own; at 0.2 it is
 * 19 and 99 %, at 0.3 3 and 94 %.
 */
export const similarityFloor = 0.25;

/**
 * The minimum similarity for image search in a catalog with this typical similarity. With the built-in model, images of
 * different kinds of things are hardly similar (0). With a learned encoder, any two images may have 0.5.
 */
export function floorAbove(typicalSimilarity: number): number {
  return typicalSimilarity + (1 - typicalSimilarity) * similarityFloor;
}
