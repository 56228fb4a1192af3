import { execFile } from "node:child_process";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  type Certificates,
  createCertificates,
  describeWithOpenssl,
  startTlsProxy,
  type TlsProxy,
} from "@product-search/testing/tls/certificates.ts";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { describeOnOpenSearch, testNodes } from "../../testing/opensearch.ts";
import { runSearches } from "../text-search/run-searches.ts";
import { type Cluster, ClusterError, createCluster, toApiError } from "./cluster.ts";

describe("cluster", () => {
  interface Node {
    readonly address: string;
    readonly paths: string[];
    readonly bodies: string[];
    readonly authorizations: (string | undefined)[];
    stop(): Promise<void>;
  }

  async function startNode(respond: RequestListener): Promise<Node> {
    const paths: string[] = [];
    const bodies: string[] = [];
    const authorizations: (string | undefined)[] = [];
    const server: Server = createServer((request, response) => {
      paths.push(request.url ?? "");
      authorizations.push(request.headers.authorization);
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        bodies.push(Buffer.concat(chunks).toString());
        respond(request, response);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    let isStopped = false;
    const stop = async () => {
      if (isStopped) return;
      isStopped = true;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    onTestFinished(stop);
    return { address: `http://127.0.0.1:${port}`, paths, bodies, authorizations, stop };
  }

  const json =
    (status: number, body: unknown): RequestListener =>
    (_, response) =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

  function open(nodes: readonly string[], timeoutMs?: number): Cluster {
    const cluster = createCluster({ nodes, ...(timeoutMs !== undefined && { timeoutMs }) });
    onTestFinished(() => cluster.close());
    return cluster;
  }

  /** The path by which it is checked whether a node responds. */
  const isCheck = (path: string) => path.startsWith("/_nodes/_local/");

  /** A node of this id that responds to searches and checks unless `hangs` says so. */
  const member =
    (id: string, total: number, hangs = () => false): RequestListener =>
    (request, response) => {
      if (hangs()) return;
      const check = { nodes: { [id]: { name: `node ${id}` } } };
      const body = isCheck(request.url ?? "") ? check : { responses: [searchHeader(total)] };
      json(200, body)(request, response);
    };

  /** A check may take longer than in production: here one process is all nodes and their client. */
  function openPatient(nodes: readonly Node[]): Cluster {
    const cluster = createCluster({ nodes: nodes.map(({ address }) => address), momentMs: 1_000 });
    onTestFinished(() => cluster.close());
    return cluster;
  }

  const get = (cluster: Cluster) => cluster.request({ method: "GET", path: "/" });

  test("uses the nodes in turn", async () => {
    const nodes = [await startNode(json(200, 1)), await startNode(json(200, 2))];
    const cluster = open(nodes.map(({ address }) => address));
    expect([await get(cluster), await get(cluster), await get(cluster)]).toEqual([1, 2, 1]);
  });

  test.each([
    ["is gone", undefined],
    ["is not able", json(503, { error: "no manager" })],
    ["is busy", json(429, { error: "too many requests" })],
    ["does not respond", () => {}],
  ])("asks another node where one %s, and leaves that one alone for a while", async (_, respond) => {
    const bad = await startNode(respond ?? json(200, "bad"));
    const good = await startNode(json(200, "good"));
    if (respond === undefined) await bad.stop();
    const cluster = open([bad.address, good.address], 200);
    for (let i = 0; i < 4; i++) expect(await get(cluster)).toBe("good");
    expect(bad.paths.length).toBeLessThanOrEqual(1);
  });

  test("does not ask a node that hangs again before it responds to a check", async () => {
    let hangs = true;
    const respond = json(200, "hanging");
    const hanging = await startNode((request, response) => {
      if (!hangs) respond(request, response);
    });
    const good = await startNode(json(200, "good"));
    const cluster = createCluster({ nodes: [hanging.address, good.address], timeoutMs: 200, avoidMs: 20 });
    onTestFinished(() => cluster.close());
    const ask = () => cluster.request({ method: "GET", path: "/wanted" });
    const asked = () => hanging.paths.filter((path) => path === "/wanted").length;
    expect(await ask()).toBe("good");
    await vi.waitFor(() => expect(hanging.paths.some(isCheck)).toBe(true), 10_000);
    for (let i = 0; i < 4; i++) expect(await ask()).toBe("good");
    expect(asked()).toBe(1);
    hangs = false;
    await vi.waitFor(async () => expect(await ask()).toBe("hanging"), { timeout: 60_000, interval: 20 });
  });

  test("does not let a node that is paused delay a request", async () => {
    const paused = await startNode(() => {});
    const good = await startNode(json(200, "good"));
    const cluster = open([paused.address, good.address], 60_000);
    const request = { method: "GET", path: "/", firstAttemptMs: 100 } as const;
    expect(await cluster.request(request)).toBe("good");
    expect(paused.paths).toHaveLength(1);
  });

  test("waits no longer for a connection than for a response", async () => {
    const silent = createTcpServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void silent.close());
    const address = silent.address();
    const good = await startNode(json(200, "good"));
    // The connection is complete after a handshake, which never comes.
    const url = `https://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
    const sentMs = performance.now();
    expect(await get(open([url, good.address], 200))).toBe("good");
    expect(performance.now() - sentMs).toBeLessThan(5000);
  });

  test("prefers other nodes when a client has left because a node was slow", async () => {
    const paused = await startNode(() => {});
    const good = await startNode(json(200, "good"));
    const cluster = open([paused.address, good.address], 60_000);
    const leaving = cluster.request({ method: "POST", path: "/" }, AbortSignal.timeout(700));
    await expect(leaving).rejects.toThrow();
    for (let i = 0; i < 4; i++) expect(await get(cluster)).toBe("good");
  });

  test("tries a single node once more", async () => {
    let requests = 0;
    const node = await startNode((request, response) => {
      requests++;
      json(requests === 1 ? 503 : 200, "done")(request, response);
    });
    expect(await get(open([node.address]))).toBe("done");
  });

  test("does not send the same again to a single node that had too little time", async () => {
    const hanging = await startNode(() => {});
    const write = open([hanging.address], 200).request({ method: "POST", path: "/x", body: {} });
    await expect(write).rejects.toThrow("cannot be reached");
    expect(hanging.paths.filter((path) => !isCheck(path))).toEqual(["/x"]);
  });

  test("fails after two nodes, with an error that allows a retry", async () => {
    const nodes = [
      await startNode(json(503, {})),
      await startNode(json(503, {})),
      await startNode(json(200, 1)),
    ];
    const cluster = open(nodes.map(({ address }) => address));
    const error: unknown = await get(cluster).catch((fault: unknown) => fault);
    expect(error).toBeInstanceOf(ClusterError);
    expect(toApiError(error)).toMatchObject({ code: "unavailable", headers: { "retry-after": "2" } });
  });

  test("does not retry an invalid request", async () => {
    const nodes = [await startNode(json(400, { error: "parsing" })), await startNode(json(200, 1))];
    const cluster = open(nodes.map(({ address }) => address));
    await expect(get(cluster)).rejects.toThrow("status 400");
    expect(nodes[1]?.paths).toEqual([]);
  });

  test("authenticates to nodes with credentials", async () => {
    const node = await startNode(json(200, 1));
    await get(open([node.address.replace("//", "//search:p%40ss@")]));
    expect(node.authorizations).toEqual([`Basic ${Buffer.from("search:p@ss").toString("base64")}`]);
  });

  test("stops when the caller aborts", async () => {
    const node = await startNode(() => {});
    const gone = new AbortController();
    const request = open([node.address]).request({ method: "GET", path: "/" }, gone.signal);
    setTimeout(() => gone.abort(), 20);
    await expect(request).rejects.toThrow("aborted");
    expect(node.paths).toHaveLength(1);
  });

  test.each([
    ["of which a part failed", { ...searchHeader(7), _shards: { failed: 1 } }],
    ["that was cut off", { ...searchHeader(7), timed_out: true }],
    [
      "that counted roughly",
      { ...searchHeader(7), hits: { total: { value: 7, relation: "gte" }, hits: [] } },
    ],
  ])("never believes a search %s", async (_, partial) => {
    const node = await startNode(json(200, { responses: [partial] }));
    const target = { cluster: open([node.address]), index: "products" };
    await expect(runSearches(target, [{}], { preference: "p" })).rejects.toThrow();
  });

  /** The preferences of the searches that a node got. */
  const preferencesAt = (node: Node) =>
    node.bodies.filter((body) => body !== "").map((body) => JSON.parse(body.split("\n")[0] ?? "").preference);

  test("uses the copies of nodes that respond after one hung, for this search and the next ones", async () => {
    const hanging = await startNode(member("x", 1, () => true));
    const nodes = [await startNode(member("y", 7)), await startNode(member("z", 7))];
    const target = {
      cluster: openPatient([hanging, ...nodes]),
      index: "products",
    };
    for (let search = 0; search < 5; search++) {
      const [found] = await runSearches(target, [{}], { preference: "p" });
      expect(found?.total).toBe(7);
    }
    expect(preferencesAt(hanging)).toEqual(["p"]);
    expect(new Set(nodes.flatMap(preferencesAt))).toEqual(new Set(["_prefer_nodes:y,z"]));
  });

  test("finds copies that hang behind a node that responds", async () => {
    // Searches hang on the node that gets them, because of a copy on the node that hangs, unless they avoid that.
    const first = await startNode((request, response) => {
      const body = first.bodies.at(-1) ?? "";
      if (isCheck(request.url ?? "") || body.includes("_prefer_nodes:y")) member("y", 7)(request, response);
    });
    const hanging = await startNode(member("x", 1, () => true));
    const target = { cluster: openPatient([first, hanging]), index: "products" };
    for (let search = 0; search < 3; search++) {
      const [found] = await runSearches(target, [{}], { preference: "p" });
      expect(found?.total).toBe(7);
    }
    expect(preferencesAt(first)).toEqual(["p", ...Array(3).fill("_prefer_nodes:y")]);
  });

  test("asks another node the second time, also when other requests came in between", async () => {
    // Like a node whose connections to the others hang.
    const stuck = await startNode((request, response) => {
      if (isCheck(request.url ?? "")) member("x", 1)(request, response);
    });
    const good = await startNode(member("y", 7));
    const cluster = openPatient([stuck, good]);
    const searching = runSearches({ cluster, index: "products" }, [{}], { preference: "p" });
    await get(cluster);
    const [found] = await searching;
    expect(found?.total).toBe(7);
  });

  test("leaves the choice of copies to OpenSearch where one address stands for all nodes", async () => {
    let searches = 0;
    const node = await startNode((request, response) => {
      if (!isCheck(request.url ?? "")) searches++;
      if (searches !== 1 || isCheck(request.url ?? "")) member("x", 7)(request, response);
    });
    const target = { cluster: open([node.address]), index: "products" };
    for (let search = 0; search < 2; search++) {
      const [found] = await runSearches(target, [{}], { preference: "p" });
      expect(found?.total).toBe(7);
    }
    expect(preferencesAt(node)).toEqual(["p", undefined, undefined]);
  });

  test("believes the first node that responds, also one that is only slow", async () => {
    const slow = await startNode((request, response) => {
      setTimeout(() => json(200, { responses: [searchHeader(7)] })(request, response), 650);
    });
    const hanging = await startNode(() => {});
    const target = { cluster: open([slow.address, hanging.address]), index: "products" };
    const [found] = await runSearches(target, [{}], { preference: "p" });
    expect(found?.total).toBe(7);
    expect(hanging.paths.filter((path) => !isCheck(path)).length).toBeLessThanOrEqual(1);
  });

  test("uses other copies of the index if a part of it did not respond", async () => {
    let requests = 0;
    const node = await startNode((request, response) => {
      requests++;
      const failed = requests === 1 ? 1 : 0;
      json(200, { responses: [{ ...searchHeader(7), _shards: { failed } }] })(request, response);
    });
    const target = { cluster: open([node.address]), index: "products" };
    const [found] = await runSearches(target, [{}], { preference: "p" });
    expect(found?.total).toBe(7);
  });

  test("does not ask again at once when the copies have too much to do", async () => {
    const node = await startNode(json(200, { responses: [{ status: 429, error: "rejected" }] }));
    const cluster = open([node.address]);
    const searching = runSearches({ cluster, index: "products" }, [{}], { preference: "p" });
    await expect(searching).rejects.toMatchObject({ status: 429 });
    expect(node.paths).toHaveLength(1);
    expect(cluster.isDisturbed()).toBe(false);
  });

  /** The response of OpenSearch to a search that found this many documents. */
  function searchHeader(total: number) {
    return {
      timed_out: false,
      _shards: { failed: 0 },
      hits: { total: { value: total, relation: "eq" }, hits: [] },
    };
  }
});

const script = fileURLToPath(new URL("../../testing/ask-cluster.ts", import.meta.url));

describeWithOpenssl("encrypted connections", () => {
  describeOnOpenSearch("to OpenSearch", () => {
    let certificates: Certificates;
    let proxy: TlsProxy;
    beforeAll(async () => {
      certificates = createCertificates();
      const { port, hostname } = new URL(testNodes[0] ?? "");
      const target = { port: Number(port), host: hostname, isPostgres: false };
      proxy = await startTlsProxy(target, certificates.server);
    });
    afterAll(async () => {
      await proxy?.close();
      certificates?.remove();
    });

    /** Authorities are read when a process starts, so each case is one. */
    const ask = async (host: string, environment: Record<string, string>) => {
      const args = [script, `https://${host}:${proxy.port}`];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment });
      return stdout;
    };
    const trusting = () => ({ NODE_EXTRA_CA_CERTS: certificates.caFile });

    test("work with the file of a certificate authority", async () => {
      expect(await ask("localhost", trusting())).toContain("cluster_name");
    });

    test("fail for an unknown authority, and for another host", async () => {
      await expect(ask("localhost", {})).rejects.toThrow("certificate");
      await expect(ask("127.0.0.1", trusting())).rejects.toThrow("altnames");
    });
  });
});
