import { designCount } from "./design.ts";

export interface SampleImageName {
  design: number;
  /** 0 is the main image. */
  view: number;
}

const viewCount = 3;
const prefix = "/images/sample/";

export function imageAddress({ design, view }: SampleImageName): string {
  return `${prefix}${design}-${view + 1}.jpg`;
}

/** Undefined if the URL is not that of a sample image. */
export function parseImageAddress(address: string): SampleImageName | undefined {
  const [, design, view] = /^\/images\/sample\/(\d{1,4})-(\d)\.jpg$/.exec(address) ?? [];
  const name = { design: Number(design), view: Number(view) - 1 };
  const exists = name.design < designCount && name.view >= 0 && name.view < viewCount;
  return exists && imageAddress(name) === address ? name : undefined;
}
