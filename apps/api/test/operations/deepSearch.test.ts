import { ApiError } from "@product-search/core/errors.ts";
import { createFairQueue } from "@product-search/core/mechanisms/fair-queue.ts";
import type { TextSearch } from "@product-search/core/ports/text-search.ts";
import { fakeMug } from "@product-search/testing/fake-products.ts";
import { startOpenAiServer } from "@product-search/testing/openai-server.ts";
import { expectDocumented } from "@product-search/testing/spec-check.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestService, type TestService } from "../../testing/test-service.ts";

let service: TestService;
let token: string;
beforeAll(async () => {
  service = await createTestService();
  token = await service.token({ scopes: ["search"] });
  const mugs = Array.from({ length: 12 }, (_, at) =>
    fakeMug("catalog", at, {
      category: "Mugs",
      brand: at % 2 === 0 ? "Nordlys" : "Pelago",
      averageRating: 3.5 + at / 10,
    }),
  );
  await service.stores.catalogStore.apply([...mugs, fakeMug("marketplace-a", 1, { priceMinor: 1 })]);
  await service.indexed();
});
afterAll(() => service.close());

const ask = (
  payload: object | string,
  headers: Record<string, string> = {},
  { app } = service,
  bearer = token,
) =>
  app.inject({
    method: "POST",
    url: "/api/v1/deep-search",
    headers: { authorization: `Bearer ${bearer}`, "content-type": "application/json", ...headers },
    payload,
  });

/** A separate service whose text search fails, or whose tokens allow one request. */
async function askOther(
  change: { environment?: Record<string, string>; fails?: Error },
  accept = "application/json",
) {
  const fail = async (): Promise<never> => {
    throw change.fails ?? new Error();
  };
  const broken: TextSearch = {
    search: fail,
    suggest: fail,
    findBrands: fail,
    brandsNamedIn: fail,
    categoriesNamedIn: fail,
    storesNamedIn: fail,
    attributesNamedIn: fail,
    numberUnit: fail,
    hasUnit: fail,
    wordFrequency: fail,
  };
  const other = await createTestService({
    environment: change.environment ?? {},
    ports: (ports) => (change.fails === undefined ? ports : { ...ports, textSearch: broken }),
  });
  try {
    const bearer = await other.token({ scopes: ["search"] });
    const answers = [];
    for (let time = 0; time < 2; time++)
      answers.push(await ask({ query: "mugs" }, { accept }, other, bearer));
    const metrics = await other.app.inject({ url: "/metrics" });
    return { answers, metrics: metrics.body };
  } finally {
    await other.close();
  }
}

describe("200", () => {
  it("returns products, an answer and follow-up options within the price bound", async () => {
    const query = "Nordlys mugs under 15, please <b>";
    const answer = await ask({ query });
    expectDocumented("deepSearch", 200, answer);
    expect(answer.headers["x-answer-writer"]).toBe("built-in");
    const { data } = answer.json();
    expect(data).toMatchObject({
      query,
      productCount: 3,
      description: "Mugs, price up to $15.00, brand Nordlys",
    });
    expect(data.topProducts.map(({ price }: { price: number }) => price)).toEqual(
      expect.arrayContaining([10, 12, 14]),
    );
    expect(data.aiResponse).toContain("Stoneware mug number");
    const [{ _id, key, slug, url }] = data.topProducts;
    const [stored] = await service.stores.catalogStore.findByIds([_id]);
    expect(stored).toMatchObject({ key, slug });
    expect(url).toMatch(/^https?:/);
    expect(data.suggestions.length).toBeGreaterThan(0);
  });

  it("says that nothing matches, and respects the bound", async () => {
    const answer = await ask({ query: "mugs under 1" });
    expectDocumented("deepSearch", 200, answer);
    expect(answer.json().data).toMatchObject({ productCount: 0, topProducts: [] });
    expect(answer.json().data.aiResponse).toMatch(/no product|nothing/i);
  });

  it("understands a query together with the earlier ones", async () => {
    const answer = await ask({ query: "and cheaper?", history: ["Nordlys mugs under 15"] });
    expectDocumented("deepSearch", 200, answer);
    const { data } = answer.json();
    expect(data.query).toBe("and cheaper?");
    expect(data.description).toMatch(/^Mugs, price up to \$1\d\.\d\d, brand Nordlys/);
    const whole = { query: "mugs", history: Array.from({ length: 10 }, () => "x".repeat(512)) };
    expectDocumented("deepSearch", 200, await ask(whole));
  });

  it("answers other requests too, at the minimum and maximum length", async () => {
    for (const query of ["hello", "?", "🫖".repeat(512), "mug ".repeat(128)]) {
      expectDocumented("deepSearch", 200, await ask({ query }));
    }
  });

  it("streams the same answer as events", async () => {
    const whole = await ask({ query: "mugs" }, { accept: "*/*" });
    const answer = await ask({ query: "mugs" }, { accept: "text/event-stream" });
    expect(answer.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
    const events = answer.body
      .trim()
      .split("\n\n")
      .map((block) => /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [])
      .map(([, event, data]) => ({ event, data: JSON.parse(data ?? "") }));
    expect(events.map(({ event }) => event)).toEqual(events.map(({ data }) => data.type));
    expect(events.at(0)?.event).toBe("products");
    expect(events.at(-1)?.data).toEqual({ type: "done", writer: "built-in", data: whole.json().data });
    const text = events.filter(({ event }) => event === "delta").map(({ data }) => data.text);
    expect(text.join("")).toBe(whole.json().data.aiResponse);
  });

  it("uses the configured model, and counts in the metrics who wrote", async () => {
    const model = await startOpenAiServer(() => ({ content: '{"elements": ["{p1.name} fits best."]}' }));
    const other = await createTestService({
      environment: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: "stand-in" },
    });
    try {
      await other.stores.catalogStore.apply([fakeMug("catalog", 7)]);
      await other.indexed();
      const answer = await ask({ query: "mug" }, {}, other, await other.token());
      expect(answer.headers["x-answer-writer"]).toBe("model");
      expect(answer.json().data.aiResponse).toBe("Stoneware mug number 7 fits best.");
      const metrics = await other.app.inject({ url: "/metrics" });
      expect(metrics.body).toContain(
        'product_search_deep_search_answers_total{writer="model",failure="none"} 1',
      );
    } finally {
      await other.close();
      await model.close();
    }
  });
});

describe("400", () => {
  it.each<[string, object | string, RegExp]>([
    ["no query", {}, /^query:/],
    ["an empty query", { query: "" }, /^query:/],
    ["a blank query", { query: " \t" }, /^query:/],
    ["a number", { query: 5 }, /^query:/],
    ["513 characters", { query: "a".repeat(513) }, /^query:/],
    ["an unknown field", { query: "mug", model: "best" }, /^model:/],
    ["a history that is no list", { query: "mug", history: "cups" }, /^history:/],
    ["more than ten earlier queries", { query: "mug", history: Array(11).fill("cups") }, /^history:/],
    ["an empty earlier query", { query: "mug", history: ["cups", ""] }, /^history/],
    ["an earlier query of 513 characters", { query: "mug", history: ["a".repeat(513)] }, /^history/],
    ["broken JSON", "{", /./],
  ])("with %s", async (_, payload, message) => {
    const answer = await ask(payload);
    expectDocumented("deepSearch", 400, answer);
    expect(answer.json()).toMatchObject({ code: "invalid_request", message: expect.stringMatching(message) });
  });
});

describe("500", () => {
  it.each(["application/json", "text/event-stream"])(
    "when the index fails, without saying how (%s)",
    async (accept) => {
      const { answers } = await askOther({ fails: new Error("disk on fire") }, accept);
      if (answers[0]) expectDocumented("deepSearch", 500, answers[0]);
      expect(answers[0]?.body).not.toContain("fire");
    },
  );
});

describe("503", () => {
  it.each(["application/json", "text/event-stream"])(
    "when it would wait too long for the requests of others (%s)",
    async (accept) => {
      const other = await createTestService({ queue: createFairQueue({ sliceMs: 0, maxWaiting: 0 }) });
      try {
        const answer = await ask({ query: "a mug" }, { accept }, other, await other.token());
        expectDocumented("deepSearch", 503, answer);
        expect(answer.headers["retry-after"]).toBe("1");
        expect(answer.json()).toMatchObject({ code: "unavailable" });
      } finally {
        await other.close();
      }
    },
  );

  it.each(["application/json", "text/event-stream"])("while the index is not ready (%s)", async (accept) => {
    const fails = new ApiError("unavailable", "Not ready yet.", { retryAfterSeconds: 2 });
    const { answers } = await askOther({ fails }, accept);
    if (answers[0]) expectDocumented("deepSearch", 503, answers[0]);
    expect(answers[0]?.headers["retry-after"]).toBe("2");
  });
});
