import { inspect } from "node:util";
import { expect, it } from "vitest";
import { createClient } from "../src/index.ts";
import { respondWithJson, startService } from "./service.ts";

const refusal = { status: "error", message: "q: is missing.", code: "invalid_request", requestId: "r-1" };

async function errorOf(
  work: (client: ReturnType<typeof createClient>) => Promise<unknown>,
): Promise<unknown> {
  const { baseUrl } = await startService((response) =>
    respondWithJson(response, 400, refusal, { "x-request-id": "r-1" }),
  );
  return work(createClient({ baseUrl })).catch((error: unknown) => error);
}

async function whatThePartnerWrote(client: ReturnType<typeof createClient>): Promise<unknown> {
  return client.searchTrial({ q: "" });
}

it("the stack of an error begins with its name and message, and leads to the partner's call", async () => {
  const error = await errorOf(whatThePartnerWrote);
  const { stack } = Object(error);
  expect(stack).toMatch(/^ProductSearchError: q: is missing\.\n/);
  expect(stack).toMatch(/whatThePartnerWrote/);
  expect(stack).not.toMatch(/read-response|\/send\.ts/);
});

it("so does the stack of a stream's error", async () => {
  const error = await errorOf(async function partnerStream(client) {
    for await (const _ of client.deepSearchStream({ query: "a" }));
  });
  expect(Object(error).stack).toMatch(/partnerStream/);
});

it("an error that is printed shows what a partner needs, and no bodies", async () => {
  const printed = inspect(await errorOf(whatThePartnerWrote));
  expect(printed).toMatch(/status: 400/);
  expect(printed).toMatch(/code: 'invalid_request'/);
  expect(printed).toMatch(/requestId: 'r-1'/);
  expect(printed).not.toMatch(/response:|body:|name:/);
});
