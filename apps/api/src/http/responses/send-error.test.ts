import { Writable } from "node:stream";
import { ApiError } from "@product-search/core/errors.ts";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createTestService } from "../../../testing/test-service.ts";

beforeEach(() => void vi.spyOn(performance, "now").mockReturnValue(1000));
afterEach(() => void vi.restoreAllMocks());

it("logs at most one line per second and code, with the number of errors not logged", async () => {
  const lines: { code: string; unlogged: number }[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const service = await createTestService({
    logger: pino(sink),
    environment: { TRIAL_RATE_LIMIT: "0" },
    handlers: (handlers) => ({
      ...handlers,
      searchTrial: () => Promise.reject(new ApiError("unavailable", "Not now.")),
    }),
  });
  const ask = () => service.app.inject("/api/v1/search/trial?q=mug");
  for (let count = 0; count < 5; count++) expect((await ask()).statusCode).toBe(503);
  expect(lines).toEqual([expect.objectContaining({ code: "unavailable", unlogged: 0 })]);
  vi.spyOn(performance, "now").mockReturnValue(2001);
  await ask();
  expect(lines.slice(1)).toEqual([expect.objectContaining({ code: "unavailable", unlogged: 4 })]);
  // Errors of the client are not logged, and no line repeats what it sent.
  for (const url of ["/nosuch", "/%zz", `/api/v1/search/trial?q=${"a".repeat(5000)}`]) {
    await service.app.inject({ url, method: "GET" });
  }
  expect(lines).toHaveLength(2);
  await service.close();
});
