import { workerData } from "node:worker_threads";
import { decodeImage, openImage } from "../src/image/open-image.ts";
import { readNetwork } from "../src/learned/learned-encoder.ts";
import { cellLength, cellSide, cellsPerSide, createCellReader, viewSide } from "../src/objects/cells.ts";
import type { Box } from "../src/vision-model.ts";
import { createRandom, labelLength, type SceneSource, sceneAt } from "./scenes.ts";
import type { Share } from "./share-among-workers.ts";

export interface SceneTask {
  readonly source: SceneSource;
  readonly scenes: number;
  /** The number of cells that are kept of each scene, at random. */
  readonly cellsPerScene: number;
  readonly cells: SharedArrayBuffer;
  readonly labels: SharedArrayBuffer;
}

const { source, scenes, cellsPerScene, cells, labels, first, step }: SceneTask & Share = workerData;
const readCells = createCellReader(readNetwork());
const cellTable = new Float32Array(cells);
const labelTable = new Float32Array(labels);
for (let number = first; number < scenes; number += step) {
  const { bytes, width, height, boxes } = await sceneAt(source, number);
  const raster = await decodeImage(await openImage(bytes), viewSide);
  const numbers = readCells(raster);
  const scale = viewSide / Math.max(width, height);
  const left = (viewSide - raster.width) >> 1;
  const top = (viewSide - raster.height) >> 1;
  const random = createRandom(number);
  for (let kept = 0; kept < cellsPerScene; kept++) {
    // Anywhere in the image, which need not fill the view.
    const column = Math.floor((left + random() * raster.width) / cellSide);
    const row = Math.floor((top + random() * raster.height) / cellSide);
    const cell = row * cellsPerSide + column;
    const to = number * cellsPerScene + kept;
    cellTable.set(numbers.subarray(cell * cellLength, (cell + 1) * cellLength), to * cellLength);
    const x = ((column + 0.5) * cellSide - left) / scale;
    const y = ((row + 0.5) * cellSide - top) / scale;
    const box = boxes.findLast((box) => isInside(x, y, box));
    if (box === undefined) continue;
    const distances = [x - box.x, y - box.y, box.x + box.width - x, box.y + box.height - y];
    labelTable.set([1, ...distances.map((distance) => (distance * scale) / cellSide)], to * labelLength);
  }
}

function isInside(x: number, y: number, box: Box): boolean {
  return x > box.x && y > box.y && x < box.x + box.width && y < box.y + box.height;
}
