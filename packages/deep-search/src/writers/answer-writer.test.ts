import type { AnswerWriter } from "@product-search/core/ports/answer-writer.ts";
import { brief, describeAnswerWriter } from "@product-search/testing/contracts/answer-writer.ts";
import { type ChatCall, sentences, startOpenAiServer } from "@product-search/testing/openai-server.ts";
import { describe, expect, test } from "vitest";
import { createBuiltInAnswerWriter } from "./built-in.ts";
import { createLimitedAnswerWriter, defaultWriterLimits } from "./limited.ts";
import { createOpenAiCompatibleAnswerWriter } from "./openai-compatible.ts";

const modelAnswer = ({ stream, user }: ChatCall) => {
  if (stream) return sentences("{p1.name} fits best.", "{p2.name} costs {p2.price}.");
  return user.includes("refusedSentence")
    ? sentences("{p1.name} is cheaper.")
    : { content: JSON.stringify({ isProductSearch: true, searches: ["lamps"] }) };
};

describe("the built-in writer", () => {
  describeAnswerWriter(async () => ({ writer: createBuiltInAnswerWriter(), close: async () => {} }));
});

describe("an OpenAI-compatible model", () => {
  describeAnswerWriter(async () => {
    const server = await startOpenAiServer(modelAnswer);
    const settings = { baseUrl: server.baseUrl, model: "stand-in", apiKey: undefined };
    return { writer: createOpenAiCompatibleAnswerWriter(settings), close: server.close };
  });
});

describe("a limited writer", () => {
  describeAnswerWriter(async () => ({
    writer: createLimitedAnswerWriter(createBuiltInAnswerWriter(), defaultWriterLimits, { now: () => 0 }),
    close: async () => {},
  }));

  const clock = { nowMs: 0, now: () => clock.nowMs };
  const limits = { concurrentCalls: 2, callsPerMinute: 4, failuresToOpen: 2, openMs: 1000 };
  const limited = (plan: AnswerWriter["plan"]) =>
    createLimitedAnswerWriter({ ...createBuiltInAnswerWriter(), plan }, limits, clock);
  const ask = (writer: AnswerWriter, signal = AbortSignal.timeout(60_000)) =>
    writer.plan({ request: "lamps", history: [] }, signal);

  test("limits the number of concurrent calls", async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const writer = limited(() => promise);
    const running = [ask(writer), ask(writer)];
    await expect(ask(writer)).rejects.toThrow("Too many calls are running");
    resolve(undefined);
    await Promise.all(running);
    await expect(ask(writer)).resolves.toBeUndefined();
  });

  test("limits the number of calls per minute", async () => {
    const writer = limited(async () => undefined);
    for (let call = 0; call < limits.callsPerMinute; call++) await ask(writer);
    await expect(ask(writer)).rejects.toThrow("Too many calls in this minute");
    clock.nowMs += 60_001;
    await expect(ask(writer)).resolves.toBeUndefined();
  });

  test("pauses after consecutive failures, but not because callers abort", async () => {
    const fail = async (): Promise<never> => {
      throw new Error("down");
    };
    const writer = limited(fail);
    for (let call = 0; call < 3; call++)
      await expect(ask(writer, AbortSignal.abort())).rejects.toThrow("aborted");
    clock.nowMs += 60_001;
    for (let call = 0; call < 2; call++) await expect(ask(writer)).rejects.toThrow("down");
    await expect(ask(writer)).rejects.toThrow("not called for a while");
    clock.nowMs += 1001;
    await expect(ask(writer)).rejects.toThrow("down");
    await expect(ask(writer)).rejects.toThrow("not called for a while");
  });

  /** A writer that is up again after its failures, and whose open period has passed. */
  const recovered = async (write: AnswerWriter["write"]) => {
    clock.nowMs += 60_001;
    let isDown = true;
    const plan: AnswerWriter["plan"] = async (_request, signal) => {
      if (isDown) throw new Error("down");
      signal.throwIfAborted();
      await new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason), { once: true }),
      );
      return undefined;
    };
    const writer = createLimitedAnswerWriter({ ...createBuiltInAnswerWriter(), plan, write }, limits, clock);
    for (let call = 0; call < 2; call++) await expect(ask(writer)).rejects.toThrow("down");
    await expect(ask(writer)).rejects.toThrow("not called for a while");
    isDown = false;
    clock.nowMs += 60_001;
    return writer;
  };
  const answering: AnswerWriter["write"] = async function* () {
    yield "one";
    yield "two";
  };
  const written = async (writer: AnswerWriter, signal = AbortSignal.timeout(60_000)) => {
    const parts: string[] = [];
    for await (const part of writer.write(brief, signal)) parts.push(part);
    return parts;
  };

  test("does not pause again when a caller leaves after the pause", async () => {
    const leavers: ((writer: AnswerWriter) => Promise<unknown>)[] = [
      (writer) => {
        const leaving = new AbortController();
        const call = ask(writer, leaving.signal);
        leaving.abort();
        return expect(call).rejects.toThrow("aborted");
      },
      (writer) => expect(ask(writer, AbortSignal.abort())).rejects.toThrow("aborted"),
      (writer) => expect(ask(writer, AbortSignal.abort(new Error("closed")))).rejects.toThrow("closed"),
      async (writer) => {
        for await (const part of writer.write(brief, AbortSignal.timeout(60_000))) {
          expect(part).toBe("one");
          break;
        }
      },
    ];
    for (const leave of leavers) {
      const writer = await recovered(answering);
      await leave(writer);
      expect(await written(writer)).toEqual(["one", "two"]);
    }
  });

  test("makes no call for a caller that has left, and counts none", async () => {
    let calls = 0;
    const writer = limited(async () => {
      calls += 1;
      return undefined;
    });
    const timedOut = AbortSignal.abort(new DOMException("late", "TimeoutError"));
    for (let call = 0; call < 10; call++) await expect(ask(writer, timedOut)).rejects.toThrow("late");
    expect(calls).toBe(0);
    for (let call = 0; call < limits.callsPerMinute; call++) await ask(writer);
    await expect(ask(writer)).rejects.toThrow("Too many calls in this minute");
  });

  test("pauses again when the first call after the pause misses its deadline", async () => {
    const writer = await recovered(answering);
    await expect(ask(writer, AbortSignal.timeout(1))).rejects.toThrow("timeout");
    await expect(ask(writer)).rejects.toThrow("not called for a while");
  });
});
