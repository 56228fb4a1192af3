import { operations } from "@product-search/spec/operations";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import { createInputReader, negotiate } from "./read-request.ts";

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

it.each(["", " 4", "4 ", "4,5", ".5", "5.", "0x10", "Infinity", "NaN", "1e", "e5", "4e1.5", "1".repeat(22)])(
  'leaves "%s" for the validator to refuse',
  async (text) => {
    expect(await minRating(text)).toBe(text);
  },
);
