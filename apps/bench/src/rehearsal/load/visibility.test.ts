import { productId } from "@product-search/core/domain/identity.ts";
import { expect, it } from "vitest";
import { createLedger, noteImport } from "../ledger.ts";
import { fakeNode } from "../parts/fake-part.ts";
import type { ClusterClient } from "./cluster-client.ts";
import { keyOf } from "./products.ts";
import { measureVisibility } from "./visibility.ts";

/** A cluster of nodes that find the new price, which was committed a minute ago. */
function clientOf(spans: Record<string, { fromMs: number; untilMs: number }[]>, committedMs: number) {
  const priceHistory = [{ date: new Date(committedMs).toISOString() }];
  const product = { _id: productId("catalog", keyOf(1)), price: 12, priceHistory };
  const client: Pick<ClusterClient, "nodes" | "requestFrom" | "readySpans"> = {
    nodes: Object.keys(spans).map((name) => fakeNode(name)),
    requestFrom: async () => ({ status: 200, body: { Products: [product] } }),
    readySpans: ({ name }) => spans[name] ?? [],
  };
  return client;
}

it("has a sample for each node that is ready, from the change or since the node became ready", async () => {
  const ledger = createLedger();
  noteImport(ledger, new Map([[keyOf(1), 12]]))(1);
  const nowMs = Date.now();
  const open = Number.POSITIVE_INFINITY;
  const paused = { fromMs: 0, untilMs: nowMs - 59_900 };
  const client = clientOf(
    {
      ready: [{ fromMs: 0, untilMs: open }],
      returned: [paused, { fromMs: nowMs - 400, untilMs: open }],
      paused: [paused],
    },
    nowMs - 60_000,
  );
  const samples = await measureVisibility(client, ledger, 1, Promise.resolve(true));
  expect(samples.map(({ node, fromMs }) => [node, fromMs - nowMs])).toEqual([
    ["ready", -60_000],
    ["returned", -400],
  ]);
  expect(await measureVisibility(client, ledger, 1, Promise.resolve(false))).toEqual([]);
});
