import { operations } from "@product-search/spec/operations";
import { Ajv } from "ajv";
import { fastify } from "fastify";
import { describe, expect, it, test } from "vitest";
import { createInputReader, negotiate, validationMessage } from "./read-request.ts";

describe("read request", () => {
  const both = ["application/json", "text/event-stream"];

  it.each([
    [undefined, "application/json"],
    ["*/*", "application/json"],
    ["application/*", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["Text/Event-Stream; charset=utf-8", "text/event-stream"],
    ["text/event-stream, application/json", "application/json"],
    ["text/event-stream, */*;q=0.5", "text/event-stream"],
    ["application/json;q=0.1, text/event-stream;q=0.2", "text/event-stream"],
    ["text/*, application/json;q=0.9", "text/event-stream"],
    ["text/html", undefined],
    ["application/json;q=0", undefined],
    ["*/*;q=1, application/json;q=0", "text/event-stream"],
    ["application/json;q=nonsense", undefined],
    ["", undefined],
  ])("of Accept %j chooses %j", (accept, expected) => {
    expect(negotiate(accept, both)).toBe(expected);
  });

  const app = fastify();
  const read = createInputReader(operations.searchCatalog);
  app.get("/", { preValidation: async (request) => read(request) }, async ({ query }) => query);

  async function minRating(text: string): Promise<unknown> {
    const response = await app.inject({ url: "/", query: { minRating: text } });
    return response.json().minRating;
  }

  it.each(["4", "4.5", "+4", "-0.5", String(5 / 3), "2.4998969879873263", String(1e-7), "1E+2"])(
    "reads %s as a number",
    async (text) => {
      expect(await minRating(text)).toBe(Number(text));
    },
  );

  it.each([
    "",
    " 4",
    "4 ",
    "4,5",
    ".5",
    "5.",
    "0x10",
    "Infinity",
    "NaN",
    "1e",
    "e5",
    "4e1.5",
    "1".repeat(22),
  ])('leaves "%s" for the validator to refuse', async (text) => {
    expect(await minRating(text)).toBe(text);
  });
});

describe("validation message", () => {
  test.each([
    [
      "at least one character",
      { type: "string", minLength: 1 },
      "",
      "is too short. Send a string of at least 1 character.",
    ],
    [
      "a maximum length",
      { type: "string", maxLength: 3 },
      "long",
      "is too long. Send a string of at most 3 characters.",
    ],
    [
      "both bounds",
      { type: "string", minLength: 1, maxLength: 3 },
      "",
      "is too short. Send a string of 1 to 3 characters.",
    ],
    ["any string", { type: "string" }, 5, "5 is not a string. Send a string."],
    ["one entry", { type: "array", minItems: 1 }, [], "has 0 entries. Send at least 1 entry."],
    [
      "some entries",
      { type: "array", minItems: 1, maxItems: 2 },
      [1, 2, 3],
      "has 3 entries. Send 1 to 2 entries.",
    ],
    [
      "some of the members that it names",
      { type: "object", minProperties: 2, properties: { factor: {}, brands: {} } },
      { factor: 2 },
      "has too few members. Send at least 2 of factor, brands.",
    ],
    [
      "members of any name",
      { type: "object", minProperties: 1, maxProperties: 2 },
      { a: 1, b: 2, c: 3 },
      "has too many members. Send 1 to 2 members.",
    ],
    ["any list", { type: "array" }, 5, "5 is not an array. Send a list."],
    ["a minimum", { type: "integer", minimum: 1 }, 0, "0 is too small. Send a whole number of at least 1."],
    ["a largest number", { type: "number", maximum: 5 }, 6, "6 is too large. Send a number of at most 5."],
    [
      "a range",
      { type: "integer", minimum: 1, maximum: 250 },
      251,
      "251 is too large. Send a whole number from 1 to 250.",
    ],
    [
      "values among others of a form",
      { type: "string", pattern: "^(price|rank|attributes\\..+)$", "x-values": ["price", "rank"] },
      "size",
      "size is not allowed. Send one of price, rank.",
    ],
  ])("a rule for %s is told in words", (_, schema, value, expected) => {
    const validate = new Ajv({ verbose: true, strict: false }).compile({
      type: "object",
      properties: { field: schema },
    });
    expect(validate({ field: value })).toBe(false);
    expect(validationMessage(validate.errors ?? [], "body")).toBe(`field: ${expected}`);
  });
});
