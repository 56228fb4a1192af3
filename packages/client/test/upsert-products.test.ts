import { expect, it } from "vitest";
import { respondWithJson, startService } from "./service.ts";

const counts = { created: 0, changed: 0, unchanged: 0, deleted: 0, notFound: 0 };

it("sends rows of a stream in requests of at most 1000, each with a key of its own, and adds up the responses", async () => {
  const { client, received } = await startService((response, _received, count) =>
    respondWithJson(response, 200, {
      ...counts,
      ...{ status: "success", created: count, rejectedCount: 1 },
      rejected: [{ index: 3, field: "price", message: "is missing" }],
    }),
  );
  async function* rows() {
    for (let at = 0; at < 2100; at += 1) yield { _id: `${at}`, deleted: true };
  }
  const total = await client.upsertProducts(rows());
  expect(received.map(({ body }) => Object(body).products.length)).toEqual([1000, 1000, 100]);
  expect(new Set(received.map(({ headers }) => headers["idempotency-key"])).size).toBe(3);
  expect(total).toMatchObject({ created: 6, rejectedCount: 3 });
  expect(total.rejected.map(({ index }) => index)).toEqual([3, 1003, 2003]);
});

it("keeps bodies small, and makes other keys of a given one", async () => {
  const { client, received } = await startService((response) =>
    respondWithJson(response, 200, { status: "success", ...counts, rejected: [], rejectedCount: 0 }),
  );
  const rows = Array.from({ length: 4 }, (_, at) => ({ _id: `${at}`, description: "ä".repeat(1_200_000) }));
  await client.upsertProducts(rows, { idempotencyKey: "night" });
  expect(received.map(({ headers }) => headers["idempotency-key"])).toEqual(["night", "night-2"]);
});

it("sends nothing when there is nothing", async () => {
  const { client, received } = await startService((response) => respondWithJson(response, 500, {}));
  expect(await client.upsertProducts([])).toMatchObject({ ...counts, rejected: [] });
  expect(received).toEqual([]);
});
