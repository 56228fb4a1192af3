import { describe, expect, it } from "vitest";
import { createAnswerWriter } from "./answer-writer.ts";

const product = {
  allOf: [
    { type: "object", properties: { name: { type: "string" }, brand: { type: "string" } } },
    { type: "object", properties: { price: { type: "number" } } },
  ],
};
const write = createAnswerWriter({
  type: "object",
  properties: {
    status: { type: "string" },
    Products: { type: "array", items: product },
    labels: { type: "object", additionalProperties: { type: "string" } },
  },
});

describe("createAnswerWriter", () => {
  it("writes all that the schema names, inherited fields included", () => {
    const answer = { status: "success", Products: [{ name: "Lamp", brand: "Nordlys", price: 12.5 }] };
    expect(JSON.parse(write(answer))).toEqual(answer);
  });

  it("leaves out what the schema does not name, at every depth, without touching the answer", () => {
    const answer = {
      status: "success",
      secret: 1,
      Products: [
        { name: "Lamp", price: 1, rowId: 7 },
        { name: "Mug", price: 2 },
      ],
    };
    expect(JSON.parse(write(answer))).toEqual({
      status: "success",
      Products: [
        { name: "Lamp", price: 1 },
        { name: "Mug", price: 2 },
      ],
    });
    expect(answer.Products[0]).toHaveProperty("rowId", 7);
  });

  it("keeps objects whole that the schema leaves open", () => {
    expect(JSON.parse(write({ labels: { any: "thing" } }))).toEqual({ labels: { any: "thing" } });
  });

  it("leaves out undefined fields and takes null for what it is", () => {
    expect(write({ status: undefined, Products: null })).toBe('{"Products":null}');
  });
});
