import { once } from "node:events";
import { get } from "node:http";
import { Client } from "undici";
import { expect, it } from "vitest";
import { createTestService } from "../../../testing/test-service.ts";

it("a connection that moves is closed after the response, but not while a body is sent", async () => {
  const moved: object[] = [];
  let moves = false;
  const service = await createTestService({
    shouldMove: (connection) => {
      if (moves) moved.push(connection);
      return moves;
    },
  });
  const client = new Client(await service.app.listen({ host: "127.0.0.1", port: 0 }));
  const ask = async () => {
    const { statusCode, headers, body } = await client.request({ path: "/openapi.yaml", method: "GET" });
    expect(statusCode).toBe(200);
    expect(await body.text()).toMatch(/^openapi: /m);
    return headers.connection;
  };
  expect(await ask()).toBe("keep-alive");
  moves = true;
  expect([await ask(), await ask()]).toEqual(["close", "close"]);
  const post = { path: "/api/v1/webhooks", method: "POST", body: "{}" } as const;
  const { statusCode, headers, body } = await client.request(post);
  await body.dump();
  expect([statusCode, headers.connection]).toEqual([401, "keep-alive"]);
  expect(moved[0]).not.toBe(moved[1]);
  await client.close();
  await service.close();
});

it("a refused request without a body is told that its connection moves, also with a length of 0", async () => {
  const service = await createTestService({ shouldMove: () => true });
  const url = await service.app.listen({ host: "127.0.0.1", port: 0 });
  const refused = [
    { path: "/api/v1/search/suggestions?q=mug", status: 401, token: {} },
    {
      path: "/api/v1/search/suggestions?q=mug&noSuchParameter=1",
      status: 400,
      token: { authorization: `Bearer ${await service.token()}` },
    },
  ];
  for (const { path, status, token } of refused) {
    const request = get(new URL(path, url), { headers: { "content-length": "0", ...token } });
    const [response] = await once(request, "response");
    response.resume();
    expect([response.statusCode, response.headers.connection]).toEqual([status, "close"]);
  }
  await service.close();
});
