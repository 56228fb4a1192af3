import { operations } from "@product-search/spec/operations";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import { createInputReader } from "./input-reader.ts";

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
