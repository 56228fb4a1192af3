import { expect, it } from "vitest";
import { hostileRequests } from "./hostile/hostile-requests.ts";

it("sends questions and lists as long as is allowed, each different", () => {
  const requests = hostileRequests(500);
  const questions = Array.from({ length: 20 }, (_, at) => requests.question(at));
  expect(new Set(questions).size).toBe(20);
  for (const question of questions) {
    expect(question.length).toBeLessThanOrEqual(500);
    expect(question.split(", ").length).toBeGreaterThan(40);
  }
  const lists = requests.lists(1);
  expect(lists).not.toBe(requests.lists(2));
  expect(lists.length).toBeGreaterThan(10_000);
  // Node accepts 16 kB of headers.
  expect(lists.length).toBeLessThan(15_000);
});
