import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { tracePort } from "./trace-ports.ts";

const exporter = new InMemorySpanExporter();
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
trace.setGlobalTracerProvider(
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
);
afterAll(() => {
  trace.disable();
  context.disable();
});
beforeEach(() => exporter.reset());

const tracer = trace.getTracer("test");
const within = <Result>(work: () => Result) => tracer.startActiveSpan("request", () => work());
const ended = () => exporter.getFinishedSpans().map(({ name, status }) => [name, status.message]);

async function* twoWords() {
  yield "one";
  yield "two";
}

async function collect(stream: AsyncIterable<string>): Promise<string[]> {
  const words: string[] = [];
  for await (const word of stream) words.push(word);
  return words;
}

describe("the span of a stream ends", () => {
  const port = tracePort("model", {
    write: twoWords,
    async *fail() {
      yield "one";
      throw new TypeError("secret");
    },
  });

  it("when the stream does", async () => {
    const words = await within(() => collect(port.write()));
    expect(words).toEqual(["one", "two"]);
    expect(ended()).toEqual([["model.write", undefined]]);
  });

  it("when its reader stops before", async () => {
    await within(async () => {
      for await (const word of port.write()) if (word === "one") break;
    });
    expect(ended()).toEqual([["model.write", undefined]]);
  });

  it("when it fails, with the kind of error only", async () => {
    await expect(within(() => collect(port.fail()))).rejects.toThrow("secret");
    expect(ended()).toEqual([["model.fail", "TypeError"]]);
  });
});
