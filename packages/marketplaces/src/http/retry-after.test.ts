import { expect, it } from "vitest";
import { retryAfterSeconds } from "./upstream.ts";

const nowMs = Date.parse("2026-05-01T12:00:00Z");

it.each([
  ["0", 0],
  [" 120 ", 120],
  ["Fri, 01 May 2026 12:01:00 GMT", 60],
  ["Fri, 01 May 2026 11:00:00 GMT", 0],
  ["9999999999", 86_400],
  ["9".repeat(400), 86_400],
  ["Fri, 01 May 2099 12:00:00 GMT", 86_400],
  ["-5", undefined],
  ["1.5", undefined],
  ["soon", undefined],
  ["", undefined],
  [undefined, undefined],
])("reads %j as %j seconds", (header, seconds) => {
  expect(retryAfterSeconds(header, nowMs)).toBe(seconds);
});
