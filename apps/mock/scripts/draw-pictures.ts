import { writeFile } from "node:fs/promises";
import { parseImageAddress, sampleImageSvg, sampleProduct } from "@product-search/sample-catalog";
import sharp from "sharp";

const size = 200;
const quality = 64;

/** Draws the pictures of the first products of the sample catalog into one file, and how many bytes each has into another. */
export async function drawPictures(products: number, folder: string): Promise<void> {
  const addresses = new Set(
    Array.from({ length: products }, (_, number) =>
      sampleProduct(number, { currencyDecimals: 2, nowMs: 0 }),
    ).flatMap(({ images }) => images),
  );
  const pictures: [address: string, picture: Buffer][] = [];
  for (const address of addresses) pictures.push([address, await drawPicture(address)]);
  await writeFile(`${folder}/pictures.bin`, Buffer.concat(pictures.map(([, picture]) => picture)));
  const lengths = Object.fromEntries(pictures.map(([address, picture]) => [address, picture.length]));
  await writeFile(`${folder}/pictures.json`, JSON.stringify(lengths));
}

function drawPicture(address: string): Promise<Buffer> {
  const name = parseImageAddress(address);
  if (name === undefined) throw new Error(`${address} is not the address of a sample image.`);
  return sharp(Buffer.from(sampleImageSvg(name, size)))
    .jpeg({ quality, mozjpeg: true })
    .toBuffer();
}
