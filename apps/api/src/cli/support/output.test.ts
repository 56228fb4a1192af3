import { expect, test } from "vitest";
import { duration, formatTable, progressText, shortTime } from "./output.ts";

test("progress names the amount, the rate and the time left", () => {
  expect(progressText(12_400, 50_000, 2000)).toBe("12 400 of 50 000, 6 200/s, 7 s left");
  expect(progressText(12_400, undefined, 1000)).toBe("12 400, 12 400/s");
  expect(progressText(0, 10, 5000)).toBe("0 of 10");
  expect(progressText(300, 2900, 1)).toBe("300 of 2 900");
});

test("durations are in the unit that fits", () => {
  expect(duration(0)).toBe("0 s");
  expect(duration(89.2)).toBe("90 s");
  expect(duration(600)).toBe("10 min");
  expect(duration(7500)).toBe("2 h 5 min");
});

const columns = [
  { title: "ID", value: ({ id }: { id: string; text: string }) => id, isWhole: true },
  { title: "TEXT", value: ({ text }: { id: string; text: string }) => text },
];

test("short values are in columns", () => {
  const rows = [
    { id: "wh_1", text: "one" },
    { id: "wh_22", text: "two words" },
  ];
  expect(formatTable(rows, columns, 80)).toBe("ID     TEXT\nwh_1   one\nwh_22  two words");
});

test("a long text continues in the next line, and an identifier is never broken", () => {
  const row = { id: "0b9f5f0e-1111-2222-3333-444455556666", text: "a long text with a veryverylongword" };
  const lines = formatTable([row], columns, 50).split("\n");
  expect(lines.every(({ length }) => length <= 50)).toBe(true);
  expect(lines[1]).toMatch(/^0b9f5f0e-1111-2222-3333-444455556666 {2}a long text$/);
  expect(lines.slice(1).map((line) => line.slice(38))).toEqual([
    "a long text",
    "with a",
    "veryverylong",
    "word",
  ]);
});

test("control characters of a value do not reach the terminal", () => {
  expect(formatTable([{ id: "1", text: "a\u001b[31mb\nc\u202ed" }], columns, 80)).toBe(
    "ID  TEXT\n1   a [31mb c d",
  );
});

test("a time is short, and absent when there is none", () => {
  expect(shortTime("2026-11-24T20:15:30.000Z")).toBe("2026-11-24 20:15");
  expect(shortTime(null)).toBeUndefined();
});
