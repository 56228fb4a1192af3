import { tools } from "@product-search/agents/tools.ts";
import { describe, expect, it } from "vitest";
import { startMock } from "./start-mock.ts";

const mock = await startMock();
const stateless = await startMock({ data: undefined });

const send = (message: unknown, { origin } = mock, headers: Record<string, string> = {}) =>
  fetch(`${origin}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body: JSON.stringify(message),
  });

interface Reply {
  result: {
    tools: { name: string }[];
    structuredContent: { products: { id: string; title: string }[]; product: { title: string } };
    content: { text: string }[];
  };
}

const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list" };

async function readReply(response: Response): Promise<Reply> {
  return JSON.parse(await response.text());
}

async function call(name: string, input: object): Promise<Reply> {
  const params = { name, arguments: input };
  return readReply(await send({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
}

describe("tools for assistants", () => {
  it("are those of the service", async () => {
    const { result } = await readReply(await send(listTools));
    const names = result.tools.map(({ name }) => name);
    expect(names).toEqual(tools.map(({ name }) => name));
  });

  it("find a product, show it again, and answer", async () => {
    const { result: found } = await call("search_catalog", { catalog: { query: "red mug" } });
    const [product] = found.structuredContent.products;
    expect(product?.title).toMatch(/mug/i);

    const { result: shown } = await call("get_product", { catalog: { id: product?.id } });
    expect(shown.structuredContent.product.title).toBe(product?.title);

    const { result: answered } = await call("ask", { question: "Which mugs do you have?" });
    expect(answered.content[0]?.text).toMatch(/mug/i);
  });

  it("take a token, too, and count its requests", async () => {
    const response = await send(listTools, mock, {
      authorization: "Bearer any",
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("ratelimit")).toMatch(/^"token";r=2999;/);
  });

  it("are not there without state", async () => {
    const response = await send(listTools, stateless);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ message: expect.stringContaining("--stateless") });
  });
});

it("UCP's clients find the tools by the profiles of two versions, and call them over plain HTTP", async () => {
  for (const path of ["", "/2026-04-08"]) {
    const { ucp } = JSON.parse(await (await fetch(`${mock.origin}/.well-known/ucp${path}`)).text());
    const endpoints = ucp.services["dev.ucp.shopping"].map(({ endpoint }: { endpoint: string }) => endpoint);
    expect(endpoints).toEqual([`${mock.origin}/mcp${path}`, `${mock.origin}/ucp${path}`]);
    const response = await fetch(`${endpoints[1]}/catalog/search`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: '{"query":"red mug"}',
    });
    const reply = JSON.parse(await response.text());
    expect(reply).toMatchObject({ ucp: { version: ucp.version }, products: expect.any(Array) });
    expect(reply.products[0].title).toMatch(/mug/i);
  }
});
