import { createTestDatabase } from "@product-search/stores/testing/postgres.ts";
import { startTcpProxy, type TcpProxy } from "@product-search/testing/servers/tcp-proxy.ts";
import { makeDataDir, type RunningService, removeDataDir, run, serve } from "../running-service.ts";

export interface TestNode extends RunningService {
  dataDir: string;
}

export interface TestCluster {
  /** The database itself; nodes connect to it through the proxy. */
  databaseUrl: string;
  proxy: TcpProxy;
  environment: Record<string, string>;
  startNode(): Promise<TestNode>;
  /** Starts a command like a separate node, not through the proxy. */
  run(...args: string[]): ReturnType<typeof run>;
  /** The same to its end; fails when the command does. */
  command(...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/** Services in separate processes, all on one PostgreSQL, each with its own data folder. */
export async function startTestCluster(more: Record<string, string> = {}): Promise<TestCluster> {
  const { url, drop } = await createTestDatabase();
  const target = new URL(url);
  const proxy = await startTcpProxy(Number(target.port || 5432), target.hostname);
  const proxied = new URL(url);
  proxied.hostname = "127.0.0.1";
  proxied.port = String(proxy.port);
  const environment = {
    DATABASE_URL: proxied.href,
    SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
    THREADS: "1",
    TRIAL_RATE_LIMIT: "0",
    LOG_LEVEL: "warn",
    ...more,
  };
  const nodes: TestNode[] = [];
  const commandDir = makeDataDir();
  const runHere = (...args: string[]) =>
    run(args, { ...environment, DATABASE_URL: url, DATA_DIR: commandDir });
  return {
    databaseUrl: url,
    proxy,
    environment,
    async startNode() {
      const dataDir = makeDataDir();
      const node = { ...(await serve({ ...environment, DATA_DIR: dataDir })), dataDir };
      nodes.push(node);
      return node;
    },
    run: runHere,
    async command(...args) {
      const { output, exit } = runHere(...args);
      if ((await exit) !== 0) throw new Error(`${args.join(" ")} failed:\n${output()}`);
      return output();
    },
    async close() {
      for (const { child, exit } of nodes) {
        child.kill("SIGKILL");
        await exit;
      }
      for (const { dataDir } of nodes) removeDataDir(dataDir);
      removeDataDir(commandDir);
      await proxy.close();
      await drop();
    },
  };
}
