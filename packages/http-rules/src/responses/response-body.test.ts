import { describe, expect, it } from "vitest";
import { createResponseSerializer } from "./response-body.ts";

const product = {
  allOf: [
    { type: "object", properties: { name: { type: "string" }, brand: { type: "string" } } },
    { type: "object", properties: { price: { type: "number" } } },
  ],
};
const write = createResponseSerializer({
  type: "object",
  properties: {
    status: { type: "string" },
    Products: { type: "array", items: product },
    labels: { type: "object", additionalProperties: { type: "string" } },
  },
});

describe("createResponseSerializer", () => {
  it("writes all fields in the schema, including inherited ones", () => {
    const response = { status: "success", Products: [{ name: "Lamp", brand: "Nordlys", price: 12.5 }] };
    expect(JSON.parse(write(response))).toEqual(response);
  });

  it("leaves out fields that are not in the schema, at every depth, without changing the response", () => {
    const response = {
      status: "success",
      secret: 1,
      Products: [
        { name: "Lamp", price: 1, rowId: 7 },
        { name: "Mug", price: 2 },
      ],
    };
    expect(JSON.parse(write(response))).toEqual({
      status: "success",
      Products: [
        { name: "Lamp", price: 1 },
        { name: "Mug", price: 2 },
      ],
    });
    expect(response.Products[0]).toHaveProperty("rowId", 7);
  });

  it("keeps all fields of objects that the schema leaves open", () => {
    expect(JSON.parse(write({ labels: { any: "thing" } }))).toEqual({ labels: { any: "thing" } });
  });

  it("leaves out undefined fields and keeps null", () => {
    expect(write({ status: undefined, Products: null })).toBe('{"Products":null}');
  });
});

describe("createResponseSerializer, for items that are frozen", () => {
  const status = "success";
  const lamp = { name: "Lamp", brand: undefined, price: 1 };
  const frozen = Object.freeze({ name: 'A "mug"', price: 2, rowId: 7 });

  it("writes the same as for others, the first time and later", () => {
    const response = { secret: 1, status, Products: [lamp, frozen, null], labels: undefined };
    const same = { ...response, Products: [lamp, { ...frozen }, null] };
    const expected = write(same);
    expect(expected).toBe(
      '{"status":"success","Products":[{"name":"Lamp","price":1},{"name":"A \\"mug\\"","price":2},null]}',
    );
    for (let round = 0; round < 3; round++) expect(write(response)).toBe(expected);
  });

  it("keeps what was written for a schema apart from what another one leaves out", () => {
    const names = { type: "array", items: { type: "object", properties: { name: { type: "string" } } } };
    write({ status, Products: [frozen] });
    const writeNames = createResponseSerializer({ type: "object", properties: { Products: names } });
    expect(writeNames({ Products: [frozen] })).toBe('{"Products":[{"name":"A \\"mug\\""}]}');
  });
});
