import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalService, startLocalService } from "../src/local-service.ts";
import { readOperations } from "../src/operations.ts";
import { sortByMissingScope } from "../src/partner.ts";
import { summary, writeJunit } from "../src/report.ts";
import { type Result, type RunOptions, runDredd } from "../src/run-dredd.ts";
import { expectFailures } from "./expect-failures.ts";

interface Reply {
  status: number;
  headers: Record<string, string>;
  body: string;
}

let own: LocalService;
const servers: Server[] = [];
beforeAll(async () => {
  own = await startLocalService();
});
afterAll(async () => {
  for (const server of servers) server.close();
  await own?.stop();
});

/** The live service behind a proxy that changes some responses. */
async function runThrough(
  spoil: (reply: Reply, path: string) => void,
  options: Omit<RunOptions, "target"> = {},
): Promise<Result[]> {
  const origin = own.target.baseUrl.replace("/api/v1", "");
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { host: _host, connection: _connection, "content-length": _length, ...headers } = request.headers;
    const received = await fetch(origin + request.url, {
      method: request.method ?? "GET",
      // A connection of its own for each request: one that was kept may be closed by the service just as it is used.
      headers: {
        ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
        connection: "close",
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const kept = Object.fromEntries(
      [...received.headers].filter(([name]) => !/^(connection|keep-alive|content-length)$/.test(name)),
    );
    const reply = { status: received.status, headers: kept, body: await received.text() };
    spoil(reply, request.url ?? "");
    response.writeHead(reply.status, reply.headers).end(reply.body);
  };
  const server = createServer((request, response) => {
    forward(request, response).catch((error: unknown) => response.writeHead(502).end(inspect(error)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return runDredd({ ...options, target: { ...own.target, baseUrl: `http://127.0.0.1:${port}/api/v1` } });
}

const addField = (reply: Reply, path: string) => {
  if (path.includes("/search/marketplace-b") && reply.status === 401)
    reply.body = reply.body.replace("{", '{"inner": {"id": 1}, ');
};

describe("the live service", () => {
  it("meets the contract in every operation and every status that a client can provoke; a strict run finds a field too many", async () => {
    const results = await runThrough(addField, { strict: true });
    expectFailures(results, ["searchMarketplaceB 401"]);
    expect(results.find(({ outcome }) => outcome === "failed")?.message).toMatch(/does not name: inner/);
    // Only what a client cannot cause is left out: 403 and 429 are tested with the tokens of a service of our own. 409
    // of rules and synonyms needs as many as are allowed.
    const skipped = results.filter(({ outcome }) => outcome === "skipped").map(({ status }) => status);
    expect([...new Set(skipped)].sort()).toEqual(["409", "500", "502", "503", "504"]);
    expect(results.length).toBeGreaterThanOrEqual(
      readOperations().reduce((count, { responses }) => count + Object.keys(responses).length, 0),
    );
    console.log(summary(results));
  });
});

describe("a broken service", () => {
  it("is detected by a missing field, a wrong status and a missing header, and not by a field more", async () => {
    const operationIds = ["deepSearch", "searchBrands", "searchMarketplaceA", "searchMarketplaceB"];
    const results = await runThrough(
      (reply, path) => {
        addField(reply, path);
        if (reply.status !== 401) return;
        if (path.includes("/deep-search")) reply.body = reply.body.replace('"code"', '"cod"');
        if (path.includes("/search/brands")) reply.status = 403;
        if (path.includes("/search/marketplace-a")) delete reply.headers["www-authenticate"];
      },
      { operationIds },
    );
    expect(new Set(results.map(({ operationId }) => operationId))).toEqual(new Set(operationIds));
    const expected = [
      ["searchMarketplaceA 401", /www-authenticate/i],
      ["searchBrands 401", /403/],
      ["deepSearch 401", /code/],
    ] as const;
    expectFailures(
      results,
      expected.map(([name]) => name),
    );
    for (const [name, message] of expected) {
      const [operationId, status] = name.split(" ");
      expect(
        results.find((result) => result.operationId === operationId && result.status === status),
      ).toMatchObject({
        message: expect.stringMatching(message),
      });
    }
  });
});

describe("webhooks", () => {
  const listed = async () => {
    const headers = { authorization: `Bearer ${own.target.token}` };
    const { data } = Object(await (await fetch(`${own.target.baseUrl}/webhooks`, { headers })).json());
    return data;
  };

  it("are not left behind, also when the response to their creation is broken", async () => {
    const isCreation = ({ status }: Reply, path: string) => path === "/api/v1/webhooks" && status === 201;
    const running = runThrough((reply, path) => {
      if (isCreation(reply, path)) reply.body = "{}";
    });
    await expect(running).rejects.toThrow(/^preparing: /);
    expect(await listed()).toEqual([]);
    await runThrough((reply, path) => {
      if (isCreation(reply, path)) reply.status = 500;
    }).catch(() => {});
    expect(await listed()).toEqual([]);
  });
});

describe("narrow tokens", () => {
  it("are told apart by what the service refuses them", async () => {
    const { tokensWithout = {}, token, baseUrl } = own.target;
    const tokens = [tokensWithout.webhooks ?? "", tokensWithout.search ?? ""];
    expect(await sortByMissingScope(baseUrl, tokens)).toEqual(tokensWithout);
    await expect(sortByMissingScope(baseUrl, [token])).rejects.toThrow(
      "--narrow-token: the token lacks no scope",
    );
  });
});

describe("the hooks", () => {
  it.each([
    ["missing", undefined],
    ["broken", "throw new Error('broken')"],
  ])("fail the run when the file is %s", async (_, text) => {
    const folder = await mkdtemp(join(tmpdir(), "hooks-"));
    const hookFile = join(folder, "hooks.cjs");
    if (text !== undefined) await writeFile(hookFile, text);
    await expect(runDredd({ target: own.target, hookFile })).rejects.toThrow();
    await rm(folder, { recursive: true });
  });
});

describe("the report", () => {
  it("is JUnit XML with one test case per status", async () => {
    const folder = await mkdtemp(join(tmpdir(), "junit-"));
    const result: Result = {
      operationId: "searchTrial",
      status: "200",
      mediaType: "application/json",
      outcome: "failed",
      message: 'a "quoted" <message>\nof two lines',
      milliseconds: 12,
    };
    await writeJunit(join(folder, "junit.xml"), [result, { ...result, outcome: "passed" }]);
    const xml = await readFile(join(folder, "junit.xml"), "utf8");
    await rm(folder, { recursive: true });
    expect(xml).toContain('tests="2" failures="1" skipped="0"');
    expect(xml).toContain('message="a &quot;quoted&quot; &lt;message>&#10;of two lines"');
  });
});
