import { describe, expect, it, test } from "vitest";
import { estimateEntries, hasWrongShards, mostShards, shardsFor } from "./index-names.ts";

const bySize = { chosen: undefined, entriesEach: 100 };

describe("the number of shards", () => {
  it.each([
    [0, 1],
    [100, 1],
    [101, 2],
    [1_000_000, mostShards],
  ])("of %i entries is %i", (entries, shards) => {
    expect(shardsFor(bySize, entries)).toBe(shards);
  });

  it("is what the operator has chosen", () => {
    expect(shardsFor({ ...bySize, chosen: 5 }, 100)).toBe(5);
    expect(hasWrongShards({ ...bySize, chosen: 5 }, { shards: 4, entries: 400 })).toBe(true);
    expect(hasWrongShards({ ...bySize, chosen: 5 }, { shards: 5, entries: 4_000 })).toBe(false);
  });

  it.each([
    [1, 200, false],
    [1, 201, true],
    [2, 100, false],
    [3, 100, true],
  ])("is wrong, with %i shards for %i entries: %s", (shards, entries, isWrong) => {
    expect(hasWrongShards(bySize, { shards, entries })).toBe(isWrong);
  });
});

test.each([0, 1, 2, 7, 1_000, 123_456_789])("estimates %i rows by their greatest id", async (rows) => {
  let looks = 0;
  const scan = async (after: number) => {
    looks += 1;
    return after < rows ? [{ id: after + 1 }] : [];
  };
  const estimated = await estimateEntries({ scan });
  expect(estimated).toBeLessThanOrEqual(rows);
  expect(estimated).toBeGreaterThanOrEqual(rows * 0.85 - 1);
  expect(looks).toBeLessThan(40);
});
