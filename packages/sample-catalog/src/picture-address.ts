import { designCount } from "./design.ts";

export interface SamplePictureName {
  design: number;
  /** 0 is the main picture. */
  view: number;
}

const viewCount = 3;
const prefix = "/images/sample/";

export function pictureAddress({ design, view }: SamplePictureName): string {
  return `${prefix}${design}-${view + 1}.jpg`;
}

/** Undefined for an address of no sample picture. */
export function parsePictureAddress(address: string): SamplePictureName | undefined {
  const [, design, view] = /^\/images\/sample\/(\d{1,4})-(\d)\.jpg$/.exec(address) ?? [];
  const name = { design: Number(design), view: Number(view) - 1 };
  const exists = name.design < designCount && name.view >= 0 && name.view < viewCount;
  return exists && pictureAddress(name) === address ? name : undefined;
}
