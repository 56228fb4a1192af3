export { loadBuiltInModel } from "./built-in-model.ts";
export { ImageTooLargeError, InvalidImageError } from "./errors.ts";
export { smallModel } from "./identity.ts";
export { type LearnedModelFiles, loadVisionModel } from "./load-vision-model.ts";
export { loadSmallModel } from "./small-model.ts";
export type { DetectedObject, VisionModel } from "./vision-model.ts";
