import { OutboundError, type OutboundRequest } from "@product-search/core/ports/outbound-http.ts";
import { describe, expect, it, test } from "vitest";
import {
  attemptDelivery,
  maxDelayMs,
  nextAttemptAt,
  parseRetryAfter,
  readExcerpt,
  retryDelaysMs,
} from "./attempt-delivery.ts";

it("waits 15 seconds for the target, and retries later", async () => {
  const sent: OutboundRequest[] = [];
  const webhookHttp = {
    send: async (request: OutboundRequest) => {
      sent.push(request);
      throw new OutboundError("timeout", "No respond within 15000 ms.");
    },
  };
  const task = {
    key: 1,
    webhook: { key: 1, accountId: "acc_1", failing: false },
    url: "https://partner.example/hook",
    eventId: "ev_1",
    body: "{}",
    signingKeys: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
    test: false,
    attempt: 1,
    failures: 0,
  };
  const deps = { webhookHttp, clock: { now: () => 0 }, random: () => 0.5 };
  const { attempt } = await attemptDelivery(deps, task, new AbortController().signal);
  expect(sent.map(({ timeoutMs }) => timeoutMs)).toEqual([15_000]);
  expect(attempt).toMatchObject({ verdict: "retry", error: "No respond within 15000 ms." });
});

async function* bytesOf(...chunks: string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

describe("readExcerpt", () => {
  test("keeps a short response unchanged, and an empty one as undefined", async () => {
    expect(await readExcerpt(bytesOf("o", "k\n"), [])).toBe("ok\n");
    expect(await readExcerpt(bytesOf(), [])).toBeUndefined();
  });

  test("cuts at 1024 bytes, between characters", async () => {
    const excerpt = await readExcerpt(bytesOf("ä".repeat(3000)), []);
    expect(excerpt).toBe("ä".repeat(512));
    expect(await readExcerpt(bytesOf(`a${"ä".repeat(3000)}`), [])).toBe(`a${"ä".repeat(511)}`);
  });

  test.each([
    ["our key", "key whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw!"],
    ["a signature", "got v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="],
    ["an access token", "use pss_0123456789abcdef"],
    ["a bearer token", "Authorization: Bearer abc.def-ghi"],
    ["a password in JSON", '{"password":"hunter2","x":1}'],
    ["an API key in a query", "retry ?api_key=hunter2&x=1"],
    ["a secret in a form", "secret = hunter2"],
  ])("cuts out %s", async (_, response) => {
    const excerpt = await readExcerpt(bytesOf(response), []);
    expect(excerpt).toContain("[removed]");
    expect(excerpt).not.toMatch(/MfKQ9r8G|g0hM9SsE|0123456789abcdef|abc\.def|hunter2/);
  });

  test("removes the given secrets, also across chunks and across the end of the excerpt", async () => {
    const secret = "s".repeat(40);
    const response = `${"x".repeat(1010)}${secret}`;
    const excerpt = await readExcerpt(bytesOf(response.slice(0, 1020), response.slice(1020)), [secret]);
    expect(excerpt).toBe(`${"x".repeat(1010)}[removed]`);
  });

  test("replaces control characters, which terminals and databases would interpret", async () => {
    expect(await readExcerpt(bytesOf("a\u0000b\u001b[31mc\td\n"), [])).toBe("a\ufffdb\ufffd[31mc\td\n");
  });

  test("keeps what arrived before the response ended early", async () => {
    async function* breaking() {
      yield Buffer.from("so far");
      throw new Error("reset");
    }
    expect(await readExcerpt(breaking(), [])).toBe("so far");
  });

  test("does not wait for an endless response", async () => {
    async function* endless() {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        yield Buffer.from(".");
      }
    }
    expect(await readExcerpt(endless(), [])).toMatch(/^\.+$/);
  });
});

const hourMs = 3_600_000;

describe("nextAttemptAt", () => {
  test("plans ten attempts over about 75 hours", () => {
    const total = retryDelaysMs.reduce((sum, delay) => sum + delay, 0);
    expect(retryDelaysMs).toHaveLength(9);
    expect(total / hourMs).toBeCloseTo(75.6, 1);
    expect(nextAttemptAt({ attempt: 9, nowMs: 0, random: 0.5 })).toBe(24 * hourMs);
    expect(nextAttemptAt({ attempt: 10, nowMs: 0, random: 0.5 })).toBeUndefined();
  });

  test("adds a jitter of up to a tenth in both directions", () => {
    expect(nextAttemptAt({ attempt: 2, nowMs: 1000, random: 0 })).toBe(1000 + 270_000);
    expect(nextAttemptAt({ attempt: 2, nowMs: 1000, random: 1 })).toBe(1000 + 330_000);
  });

  test("waits as long as Retry-After, up to a day, and never less than planned", () => {
    const at = (retryAfterMs: number) => nextAttemptAt({ attempt: 1, nowMs: 0, random: 0.5, retryAfterMs });
    expect(at(0)).toBe(5000);
    expect(at(60_000)).toBe(60_000);
    expect(at(1000 * hourMs)).toBe(maxDelayMs);
  });

  test("plans no eleventh attempt, whatever Retry-After says", () => {
    expect(nextAttemptAt({ attempt: 10, nowMs: 0, random: 0.5, retryAfterMs: 5 })).toBeUndefined();
  });
});

describe("parseRetryAfter", () => {
  const nowMs = Date.parse("2026-05-01T12:00:00Z");
  test.each([
    ["0", 0],
    ["120", 120_000],
    ["Fri, 01 May 2026 12:01:00 GMT", 60_000],
    ["Fri, 01 May 2026 11:00:00 GMT", 0],
    ["soon", undefined],
    ["-5x", undefined],
    [" 120 ", 120_000],
    ["1e3", undefined],
    ["1.5", undefined],
    ["-5", undefined],
    // More than a day counts as the longest pause, however it is written.
    ["999999999", maxDelayMs],
    ["1000000000", maxDelayMs],
    ["9999999999", maxDelayMs],
    ["99999999999999999999", maxDelayMs],
    ["9".repeat(400), maxDelayMs],
    ["Fri, 01 May 2099 12:00:00 GMT", maxDelayMs],
    ["", undefined],
    [undefined, undefined],
  ])("reads %j as %j ms", (value, expected) => {
    expect(parseRetryAfter(value, nowMs)).toBe(expected);
  });
});
