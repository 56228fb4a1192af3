import { productId } from "@product-search/core/domain/identity.ts";
import { expect, it } from "vitest";
import { createLedger, noteImport } from "./ledger.ts";
import { keyOf } from "./load/products.ts";
import { fakeNode } from "./parts/fake-part.ts";
import { verify } from "./verify.ts";

const settings = { healthyTimeoutMs: 1, deliveryTimeoutMs: 1, unfinishedImportMs: 1, retryMs: 0 };

/** A cluster with one product, whose nodes have these problems. */
function clusterOf(problems: Record<string, string | undefined>) {
  const ledger = createLedger();
  noteImport(ledger, new Map([[keyOf(0), 10]]))(1);
  const nodes = Object.entries(problems).map(([name, problem]) => fakeNode(name, problem));
  const bodies: [part: string, body: unknown][] = [
    ["/price-history", { priceHistory: [{ price: 10 }] }],
    [`/products/${productId("catalog", keyOf(0))}`, { product: { price: 10 } }],
    ["/webhooks", { data: [] }],
    ["q=kettle", { count: 1 }],
    ["q=qbbbbb", { count: 1 }],
    ["q=", { count: 0 }],
  ];
  const client = {
    requestFrom: async ({ name }: { name: string }, path: string) => {
      if (problems[name] === "does not respond") return undefined;
      return { status: 200, body: bodies.find(([part]) => path.includes(part))?.[1] };
    },
  };
  return { cluster: { parts: nodes, nodes }, client, ledger, receiver: { received: [] } };
}

it("finds nothing in a cluster that returns what was acknowledged", async () => {
  expect(await verify(clusterOf({ "node-1": undefined }), settings)).toEqual({
    findings: { lost: [], invented: [], doubled: [] },
    totalsDiffer: [],
    pendingDeliveries: 0,
    events: 0,
    unhealthy: [],
  });
});

it("compares all parts although one is not healthy, and says why", async () => {
  const verified = await verify(
    clusterOf({ "node-1": undefined, "node-2": "yellow", "node-3": "does not respond" }),
    settings,
  );
  expect(verified).toMatchObject({
    findings: { lost: [], invented: [], doubled: [] },
    totalsDiffer: [],
    pendingDeliveries: 0,
  });
  expect(verified.unhealthy).toEqual([
    "node-2: yellow",
    "node-3: does not respond",
    ...["deliveries", "products", "totals"].map(() =>
      expect.stringMatching(/^node-3 does not respond to .* although nothing disturbs it\.$/),
    ),
  ]);
});

it("has no figures when no node responds", async () => {
  const verified = await verify(clusterOf({ "node-1": "does not respond" }), settings);
  expect(verified).toMatchObject({
    findings: undefined,
    totalsDiffer: undefined,
    pendingDeliveries: undefined,
  });
  expect(verified.unhealthy).toHaveLength(4);
});
