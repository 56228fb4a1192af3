import sharp, { type Sharp } from "sharp";

const white = { r: 255, g: 255, b: 255 };

/** An image, and changes that a copy of it may have. `other` is an unrelated photograph; both at most 256 pixels a side. */
type Transform = (
  image: Buffer,
  size: { width: number; height: number },
  other: Buffer,
) => Promise<Sharp> | Sharp;

export const transforms = {
  mirrored: (image) => sharp(image).flop(),
  turned90: (image) => sharp(image).rotate(90),
  turned180: (image) => sharp(image).rotate(180),
  turned270: (image) => sharp(image).rotate(270),
  tilted: (image) => sharp(image).rotate(12, { background: white }),
  greyscale: (image) => sharp(image).greyscale(),
  cropped: (image, { width, height }) => {
    const region = { left: width * 0.12, top: height * 0.06, width: width * 0.8, height: height * 0.8 };
    return sharp(image).extract({
      left: Math.floor(region.left),
      top: Math.floor(region.top),
      width: Math.max(1, Math.floor(region.width)),
      height: Math.max(1, Math.floor(region.height)),
    });
  },
  padded: (image, { width, height }) => {
    const x = Math.round(width * 0.3);
    const y = Math.round(height * 0.15);
    return sharp(image).extend({ left: x, right: x, top: y, bottom: y, background: white });
  },
  cluttered: async (image, { width, height }, other) => {
    const size = { width: Math.round(width * 1.6), height: Math.round(height * 1.5) };
    const background = sharp(other).resize(size.width, size.height, { fit: "cover" });
    return background.composite([
      { input: image, left: Math.round(size.width * 0.25), top: Math.round(size.height * 0.12) },
    ]);
  },
  darker: (image) => sharp(image).linear(0.65, 0),
  brighter: (image) => sharp(image).linear(1.25, 18),
  warmer: (image) => sharp(image).linear([1.12, 1, 0.82], [0, 0, 0]),
  blurred: (image) => sharp(image).blur(2),
  stretched: (image, { width, height }) =>
    sharp(image).resize(Math.round(width * 1.25), height, { fit: "fill" }),
  compressed: (image, { width, height }) =>
    sharp(image).resize(Math.max(1, width >> 1), Math.max(1, height >> 1)),
} satisfies Record<string, Transform>;

export type TransformName = keyof typeof transforms;
export const transformNames = Object.keys(transforms) as TransformName[];

/** The transformed image as a JPEG. */
export async function augment(name: TransformName, image: Buffer, other: Buffer): Promise<Buffer> {
  const { width, height } = await sharp(image).metadata();
  const transform: Transform = transforms[name];
  const transformed = await transform(image, { width, height }, other);
  return transformed.jpeg({ quality: name === "compressed" ? 40 : 90 }).toBuffer();
}

/** The upright image on white, at most 256 pixels a side: the input of the transforms. */
export function plainCopy(bytes: Uint8Array): Promise<Buffer> {
  const upright = sharp(bytes).autoOrient().flatten({ background: white }).toColourspace("srgb");
  return upright
    .resize(256, 256, { fit: "inside", withoutEnlargement: true })
    .png({ compressionLevel: 1 })
    .toBuffer();
}
