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
