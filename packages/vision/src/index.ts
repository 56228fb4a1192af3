export { loadBuiltInModel, loadSmallModel } from "./built-in-model.ts";
export { smallModel } from "./identity.ts";
export { type LearnedModelFiles, loadVisionModel } from "./load-vision-model.ts";
export type { DetectedObject, VisionModel } from "./vision-model.ts";
export { ImageTooLargeError, InvalidImageError } from "./vision-model.ts";
