import { createRandom } from "@product-search/sample-catalog";
import { operations } from "@product-search/spec/operations";
import { expect, it } from "vitest";
import { drawRequest, mutate, targets, toSent } from "./hostile/draw-requests.ts";

const productIds = ["first", "second"];

it("draws requests of every operation and tool, the same for one seed, inside the limits of their size", () => {
  expect(targets).toEqual(expect.arrayContaining(Object.keys(operations)));
  for (const name of targets) {
    const [random, again] = [createRandom(47), createRandom(47)];
    for (let round = 0; round < 20; round++) {
      const request = drawRequest(name, random);
      expect(drawRequest(name, again)).toEqual(request);
      const { path, body = "" } = toSent(mutate(request, createRandom(round)), productIds);
      // Node accepts 16 kB of headers.
      expect(path.length).toBeLessThan(15_500);
      expect(path + body).not.toMatch(/product-\d/);
      const operation = Object.values(operations).find(({ operationId }) => operationId === name);
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(operation?.maxBodyBytes ?? 64 * 1024);
    }
  }
});
