import { randomBytes } from "node:crypto";
import { keptText } from "@product-search/core/domain/insights/kept-query.ts";
import { maxRequestBytes } from "@product-search/core/ports/insights.ts";
import { expect, test } from "vitest";
import { createQueryIds } from "./query-ids.ts";

const startMs = Date.parse("2026-11-20T12:00:00Z");
const newKey = () => randomBytes(32).toString("base64");

function idsWith(secretKey: string) {
  const clock = { nowMs: startMs, now: () => clock.nowMs };
  return { clock, ids: createQueryIds({ secretKey, dataDir: "/nowhere", clock }) };
}

test.each([["boots"], ["x".repeat(110)], ["jane@example.org"], [""]])(
  "another node with the same key reads the search for %j",
  (text) => {
    const key = newKey();
    const search = { atMs: startMs, text: keptText(text), request: "ü".repeat(maxRequestBytes / 2) };
    const queryId = idsWith(key).ids.make(search);
    expect(queryId).toMatch(/^[\w-]{40,1000}$/);
    expect(idsWith(key).ids.read(queryId)?.search).toEqual(search);
  },
);

test("all identifiers of one search differ, in their id too, also those of two nodes", () => {
  const key = newKey();
  const nodes = [idsWith(key).ids, idsWith(key).ids];
  const search = { atMs: startMs, text: keptText("boots") };
  const made = nodes.flatMap(({ make }) => Array.from({ length: 600 }, () => make(search)));
  expect(new Set(made).size).toBe(1200);
  expect(new Set(made.map((queryId) => nodes[0]?.read(queryId)?.id)).size).toBe(1200);
});

test("forged, foreign and old identifiers are not read", () => {
  const { ids, clock } = idsWith(newKey());
  const queryId = ids.make({ atMs: startMs, text: keptText("boots") });
  const flipped = (queryId.startsWith("A") ? "B" : "A") + queryId.slice(1);
  for (const forged of ["x", "", "é€", "A".repeat(60), flipped, queryId.slice(0, -2), `${queryId}AAAA`])
    expect(ids.read(forged)).toBeUndefined();
  expect(idsWith(newKey()).ids.read(queryId)).toBeUndefined();
  clock.nowMs += 24 * 3600 * 1000;
  expect(ids.read(queryId)).toBeDefined();
  clock.nowMs += 1000;
  expect(ids.read(queryId)).toBeUndefined();
});
