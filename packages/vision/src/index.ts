export { loadBuiltInModel } from "./built-in-model.ts";
export { ImageTooLargeError, InvalidImageError } from "./errors.ts";
export { type LearnedModelFiles, loadVisionModel } from "./load-vision-model.ts";
export type { DetectedObject, VisionModel } from "./vision-model.ts";
