import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { loadBuiltInModel } from "../src/index.ts";
import { bottle, circleShape, drawing, shirtShape } from "./pictures.ts";

it("gives the same vectors on several threads at once", { timeout: 60_000 }, async () => {
  const shapes = [shirtShape, bottle, circleShape];
  const pictures = await Promise.all(shapes.map((shape) => drawing(shape, "#226", "#fff").png().toBuffer()));
  const model = loadBuiltInModel();
  const here = await Promise.all(pictures.map((picture) => model.describe(picture)));
  const describeThere = async () => {
    const worker = new Worker(new URL("./describe-in-worker.ts", import.meta.url), { workerData: pictures });
    const [vectors] = await once(worker, "message");
    return vectors;
  };
  const there = await Promise.all([describeThere(), describeThere(), describeThere()]);
  for (const vectors of there) expect(vectors).toEqual(here);
});
