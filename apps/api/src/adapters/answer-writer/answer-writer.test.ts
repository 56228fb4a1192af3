import { describe, expect, test } from "vitest";
import { type ChatCall, sentences, startOpenAiServer } from "../../../testing/openai-server.ts";
import type { AnswerWriter } from "../../ports/answer-writer.ts";
import { createBuiltInAnswerWriter } from "./built-in.ts";
import { describeAnswerWriter } from "./contract.ts";
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
  const ask = (writer: AnswerWriter, signal = AbortSignal.timeout(5000)) =>
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
      await expect(ask(writer, AbortSignal.abort())).rejects.toThrow("down");
    clock.nowMs += 60_001;
    for (let call = 0; call < 2; call++) await expect(ask(writer)).rejects.toThrow("down");
    await expect(ask(writer)).rejects.toThrow("rests");
    clock.nowMs += 1001;
    await expect(ask(writer)).rejects.toThrow("down");
    await expect(ask(writer)).rejects.toThrow("rests");
  });
});
