import { randomBytes } from "node:crypto";
import type { Person } from "@product-search/core/ports/accounts.ts";
import Fastify from "fastify";
import { describe, expect, it } from "vitest";
import { createConsoleSessions } from "./console-sessions.ts";

const [former, present] = [randomBytes(32), randomBytes(32)];
const ada: Person = {
  id: "ada",
  name: "Ada",
  accountId: "console",
  scopes: ["search"],
  createdAtMs: 0,
  sessionsFromMs: 0,
};

function createApp({ keys = [present], proxy = {} }: { keys?: Buffer[]; proxy?: object } = {}) {
  const clock = { nowMs: 1000, now: () => clock.nowMs };
  const sessions = createConsoleSessions({
    config: {
      publicUrl: "https://search.example",
      trustProxy: ["127.0.0.1"],
      authProxyHeader: undefined,
      authProxyGroupsHeader: undefined,
      ...proxy,
    },
    peopleStore: { find: async (id) => (id === ada.id ? ada : undefined) },
    findAccount: async () => ({ id: "console", name: "console" }),
    keys: () => keys as [Buffer, ...Buffer[]],
    clock,
  });
  const app = Fastify();
  app.get("/who", async (request) => sessions.authenticate(request));
  app.get("/sign-in", async (_request, reply) => {
    sessions.begin(reply, ada);
    return {};
  });
  const who = (headers: Record<string, string>, remoteAddress = "127.0.0.1") =>
    app.inject({ url: "/who", headers, remoteAddress });
  const signIn = async () => String((await app.inject("/sign-in")).headers["set-cookie"]);
  return { clock, who, signIn };
}

describe("a session", () => {
  it("is a cookie that browsers send over TLS, lasts twelve hours, and outlives a replaced key", async () => {
    const before = createApp({ keys: [former] });
    const cookie = await before.signIn();
    expect(cookie).toMatch(/; Secure$/);
    const { who, clock } = createApp({ keys: [present, former] });
    expect((await who({ cookie })).json()).toMatchObject({ person: "Ada", scopes: ["search"] });
    expect((await createApp({ keys: [present] }).who({ cookie })).statusCode).toBe(401);
    clock.nowMs += 12 * 3600 * 1000;
    expect((await who({ cookie })).statusCode).toBe(401);
  });
});

describe("an authenticating proxy", () => {
  const proxy = { authProxyHeader: "x-forwarded-email", authProxyGroupsHeader: "x-forwarded-groups" };
  const headers = {
    "x-forwarded-email": "ada@shop.example",
    "x-forwarded-groups": "staff,merchandising,product-search-search",
  };

  it("names the person, and the groups give scopes", async () => {
    const { who } = createApp({ proxy });
    expect((await who(headers)).json()).toMatchObject({
      id: "proxy ada@shop.example",
      person: "ada@shop.example",
      scopes: ["search", "merchandising"],
    });
    const everybody = createApp({ proxy: { authProxyHeader: "x-forwarded-email" } });
    expect((await everybody.who(headers)).json()).toMatchObject({ scopes: ["search", "merchandising"] });
  });

  it("is believed from its own address and with its setting alone", async () => {
    const { who } = createApp({ proxy });
    expect((await who(headers, "203.0.113.7")).statusCode).toBe(401);
    expect((await who({ ...headers, "x-forwarded-email": " " })).statusCode).toBe(401);
    expect((await createApp().who(headers)).statusCode).toBe(401);
  });
});
