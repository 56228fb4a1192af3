import { expect, it } from "vitest";
import { negotiate } from "./accept.ts";

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
