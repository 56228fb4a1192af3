export { loadBuiltInModel } from "./built-in-model.ts";
export { ImageTooLargeError, InvalidImageError } from "./errors.ts";
export type { Box, DetectedObject, VisionModel } from "./vision-model.ts";
