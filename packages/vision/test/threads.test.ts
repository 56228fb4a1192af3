import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { loadBuiltInModel } from "../src/index.ts";
import { bottle, circleShape, drawing, shirtShape } from "./images.ts";

it("gives the same vectors on several threads at once", { timeout: 60_000 }, async () => {
  const shapes = [shirtShape, bottle, circleShape];
  const images = await Promise.all(shapes.map((shape) => drawing(shape, "#226", "#fff").png().toBuffer()));
  const model = loadBuiltInModel();
  const here = await Promise.all(images.map((image) => model.describe(image)));
  const describeThere = async () => {
    const worker = new Worker(new URL("./describe-in-worker.ts", import.meta.url), { workerData: images });
    const [vectors] = await once(worker, "message");
    return vectors;
  };
  const there = await Promise.all([describeThere(), describeThere(), describeThere()]);
  for (const vectors of there) expect(vectors).toEqual(here);
});
