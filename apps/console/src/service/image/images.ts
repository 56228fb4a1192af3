export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Size {
  width: number;
  height: number;
}

/** An image to search with, and where this page shows it from. */
export interface ProductImage {
  blob: Blob;
  address: string;
  /** Undefined where this browser cannot read it; the service may. */
  size: Size | undefined;
}

/** Known before it is shown, so that nothing moves when it is. */
export async function openImage(file: Blob): Promise<ProductImage> {
  const blob = await fitForUpload(file);
  const size = await sizeOf(blob);
  return { blob, address: URL.createObjectURL(blob), size };
}

/** An image of a product. Only the service's own can be read; of one elsewhere, its product has a page with similar ones. */
export async function readImage(address: string): Promise<Blob | undefined> {
  if (!URL.canParse(address) || new URL(address).origin !== location.origin) return undefined;
  const response = await fetch(address).catch(() => undefined);
  return response?.ok ? response.blob() : undefined;
}

async function sizeOf(blob: Blob): Promise<Size | undefined> {
  const image = await createImageBitmap(blob).catch(() => undefined);
  if (!image) return undefined;
  const { width, height } = image;
  image.close();
  return { width, height };
}

const maxBytes = 6_000_000;
const maxSide = 2048;

/** The file as it is, or smaller when the service would refuse it. */
async function fitForUpload(file: Blob): Promise<Blob> {
  if (file.size <= maxBytes) return file;
  const image = await createImageBitmap(file).catch(() => {
    throw new Error("This browser cannot read the file as an image.");
  });
  const scale = Math.min(1, maxSide / Math.max(image.width, image.height));
  return draw(image, { x: 0, y: 0, width: image.width, height: image.height }, scale);
}

/** What the camera shows just now. */
export async function snap(video: HTMLVideoElement): Promise<Blob> {
  const frame = await createImageBitmap(video);
  return draw(frame, { x: 0, y: 0, width: frame.width, height: frame.height }, 1);
}

/** A part of the image, in its own pixels. */
export async function cut(file: Blob, box: Box): Promise<Blob> {
  return draw(await createImageBitmap(file), box, 1);
}

function draw(image: ImageBitmap, { x, y, width, height }: Box, scale: number): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d")?.drawImage(image, x, y, width, height, 0, 0, canvas.width, canvas.height);
  image.close();
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The image could not be cropped."))),
      "image/jpeg",
      0.92,
    ),
  );
}
