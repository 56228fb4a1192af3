/**
 * The minimum similarity, as a share of the way from the typical similarity to 1. Images below it show something else.
 * With the built-in model, 8 % of photographs find another kind of thing at 0.25 and 98 % still their own; at 0.2 it is
 * 19 and 99 %, at 0.3 3 and 94 %. With the small model alone it is 8 and 89 % at 0.2, and 3 and 71 % at 0.25.
 */
export const similarityFloor = 0.25;
export const smallModelFloor = 0.2;
/** As packages/vision names the small model. Joined with another encoder, it has another name. */
const smallModel = /^built-in-\d+-[0-9a-f]+$/;

/**
 * The minimum similarity for image search with this model in a catalog with this typical similarity. With the built-in
 * model, images of different kinds of things are hardly similar (0). With a learned encoder, any two images may have 0.5.
 */
export function floorAbove(typicalSimilarity: number, model: string | undefined): number {
  const share = model !== undefined && smallModel.test(model) ? smallModelFloor : similarityFloor;
  return typicalSimilarity + (1 - typicalSimilarity) * share;
}
