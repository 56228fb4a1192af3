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

const firstOnly = () =>
  startService((response, _received, count) =>
    count === 1
      ? respondWithJson(response, 200, { status: "success", ...counts, created: 999, ...oneRejected })
      : respondWithJson(response, 400, {
          status: "error",
          message: "products[0].name: is missing.",
          code: "invalid_request",
          requestId: "r",
        }),
  );
const oneRejected = { rejected: [{ index: 3, field: "price", message: "is missing" }], rejectedCount: 1 };
const rowsOf = (number: number) =>
  Array.from({ length: number }, (_, at) => ({ _id: `${at}`, deleted: true }));

it("says in the error of a later request what the earlier ones wrote", async () => {
  const { client } = await firstOnly();
  const error = await client.upsertProducts(rowsOf(1500)).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    code: "invalid_request",
    written: { created: 999, rows: 1000, ...oneRejected },
  });
});

it("says it, too, when the stream of rows breaks off", async () => {
  const { client } = await firstOnly();
  async function* broken() {
    yield* rowsOf(1001);
    throw new Error("The file ended.");
  }
  const error = await client.upsertProducts(broken()).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ message: "The file ended.", written: { created: 999, rows: 1000 } });
});

it("does not split a group, and keeps the places of rows", async () => {
  const { client, received } = await startService((response, _received, count) =>
    respondWithJson(response, 200, {
      ...{ status: "success", ...counts, rejectedCount: 1, notFoundKeys: [`k${count}`] },
      ...{ rejected: [{ index: 0, field: "price", message: "is missing" }], ignoredFields: ["weight"] },
    }),
  );
  const row = (_: unknown, at: number) => ({ _id: `${at}`, groupId: `g${at % 300}` });
  const rows = Array.from({ length: 1500 }, row);
  const total = await client.upsertProducts(rows, { replaceGroups: true });
  const groups = received.map(
    ({ body }) => new Set(Object(body).products.map((one: object) => Object(one).groupId)),
  );
  expect(groups.map(({ size }) => size)).toEqual([200, 100]);
  expect(Object(received[0]?.body).replaceGroups).toBe(true);
  expect(total).toMatchObject({ notFoundKeys: ["k1", "k2"], ignoredFields: ["weight"] });
  expect(total.rejected.map(({ index }) => index)).toEqual([0, 200]);

  const runs = Array.from({ length: 1002 }, (_, at) => ({
    _id: `${at}`,
    groupId: at < 998 ? `${at}` : "last",
  }));
  await client.upsertProducts(runs);
  expect(received.slice(2).map(({ body }) => Object(body).products.length)).toEqual([998, 4]);
  const tooMany = Array.from({ length: 1001 }, () => ({ _id: "x", groupId: "all" }));
  await expect(client.upsertProducts(tooMany, { replaceGroups: true })).rejects.toThrow("1001 rows");
});

it("sends nothing when there is nothing", async () => {
  const { client, received } = await startService((response) => respondWithJson(response, 500, {}));
  expect(await client.upsertProducts([])).toMatchObject({ ...counts, rejected: [] });
  expect(received).toEqual([]);
});
