import { testSeed } from "@product-search/testing/seed.ts";
import { type Catcher, startCatcher } from "@product-search/testing/webhook-histories/catcher.ts";
import {
  createHistory,
  createKills,
  expectedEvents,
} from "@product-search/testing/webhook-histories/history.ts";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runHistories } from "../../testing/webhook-histories/run-histories.ts";

const firstSeed = testSeed("the histories of webhooks", 1);
let catcher: Catcher;
beforeAll(async () => {
  catcher = await startCatcher(firstSeed);
});
afterAll(() => catcher.close());

// `pnpm bench webhooks --histories 2000` runs many more.
const groups = [0, 100, 200].map((from) =>
  Array.from({ length: 6 }, (_, number) => firstSeed + from + number),
);

it("creates the same history from the same seed", () => {
  expect(createHistory(7)).toEqual(createHistory(7));
  expect(createHistory(7)).not.toEqual(createHistory(8));
  expect(createKills(7, 6)).toEqual(createKills(7, 6));
  const events = groups.flat().flatMap((seed) => [...expectedEvents(createHistory(seed)).values()].flat());
  expect(events.length).toBeGreaterThan(200);
});

it.each(groups)(
  "killed at any write, histories %i … lose no event and invent none",
  { timeout: 120_000 },
  async (...seeds) => {
    const { histories, kills } = await runHistories(seeds, catcher);
    for (const { seed, lost, invented, faults, events, attempts } of histories) {
      expect({ seed, lost, invented, faults }).toEqual({ seed, lost: [], invented: [], faults: [] });
      expect(attempts).toBeGreaterThanOrEqual(events);
    }
    expect(kills).toBeGreaterThan(0);
  },
);
