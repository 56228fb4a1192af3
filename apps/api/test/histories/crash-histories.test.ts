import { testSeed } from "@product-search/testing/seed.ts";
import { expect, it } from "vitest";
import { runKilledHistories } from "../../testing/crash-histories/run-killed.ts";
import { createSteps } from "../../testing/crash-histories/steps.ts";
import { checkStoreStates } from "../../testing/crash-histories/store-states.ts";

const firstSeed = testSeed("the histories with crashes", 1);
const seeds = (count: number) => Array.from({ length: count }, (_, number) => firstSeed + number);

it("creates the same steps of every kind from the same seed", () => {
  expect(createSteps(7)).toEqual(createSteps(7));
  expect(createSteps(7)).not.toEqual(createSteps(8));
  const kinds = Array.from({ length: 20 }, (_, seed) => createSteps(seed)).flat();
  expect(new Set(kinds.map(({ kind }) => kind))).toEqual(
    new Set(["create", "rotate", "test", "delete", "feed", "write", "remove"]),
  );
});

it("webhooks, imports, writes over HTTP, idempotent creations and rotations survive kills at any write, once each", {
  timeout: 180_000,
}, async () => {
  const { kills, deliveries, faults } = await runKilledHistories(seeds(6), 5);
  expect(faults).toEqual([]);
  expect(kills).toBeGreaterThan(2);
  expect(deliveries).toBeGreaterThan(20);
});

it.each(seeds(3))(
  "every prefix of the writes of history %i is a store to go on with",
  {
    timeout: 60_000,
  },
  async (seed) => {
    const { states, faults } = await checkStoreStates(seed);
    expect(faults).toEqual([]);
    expect(states).toBeGreaterThan(50);
  },
);
