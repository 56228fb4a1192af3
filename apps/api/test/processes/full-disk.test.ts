import { spawn, spawnSync } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { commandLine } from "../../testing/running-service.ts";

/** Whether a small disk can be made for a process: as root, or in a name space of an own user, on Linux. */
const inOwnMounts = ["unshare", "--user", "--map-root-user", "--mount"];
const canMount =
  spawnSync(inOwnMounts[0] ?? "", [...inOwnMounts.slice(1), "mount", "-t", "tmpfs", "x", "/mnt"]).status ===
  0;
if (!canMount)
  process.stderr.write("the service on a full disk: skipped: `unshare --mount` is not allowed here\n");

/** A shell whose /mnt is a disk of 150 MB. Its commands are run one after the other. */
function startShell() {
  const environment = {
    PATH: process.env.PATH ?? "",
    HOME: process.env.HOME ?? "",
    DATA_DIR: "/mnt/data",
    PORT: "0",
    THREADS: "1",
    node: process.execPath,
    api: commandLine,
  };
  const script = "mount -t tmpfs -o size=150m x /mnt && exec sh";
  const child = spawn(inOwnMounts[0] ?? "", [...inOwnMounts.slice(1), "sh", "-c", script], {
    env: environment,
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const until = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const [, found] = pattern.exec(output) ?? [];
      if (found !== undefined) return found;
      if (child.exitCode !== null) throw new Error(`The shell ended:\n${output}`);
      await setTimeout(20);
    }
  };
  let commands = 0;
  return {
    child,
    until,
    output: () => output,
    /** Also what it has started. */
    kill: () => void (child.pid !== undefined && process.kill(-child.pid, "SIGKILL")),
    /** Resolves with its status. */
    async run(command: string) {
      commands += 1;
      child.stdin.write(`${command}\necho "ended ${commands}: $?"\n`);
      return Number(await until(new RegExp(`ended ${commands}: (\\d+)`)));
    },
  };
}

const png =
  "iVBORw0KGgoAAAANSUhEUgAAADAAAAAwAgMAAAAqbBEUAAAADFBMVEU0Z83///+ZsuXH1fE4gKI6AAAACXBIWXMAAAsTAAALEwEAmpwYAAAAOklEQVQoz2MIRQIMw4MTw8DAYArjBAA5rMgcrtVIHAYmXBwuZA5rE+kcLibi7FmNy6HYOSieG3rxAwASZKc/Ygw9DgAAAABJRU5ErkJggg==";

describe.skipIf(!canMount)("the service on a full disk", () => {
  test("starts, reads, refuses what must be stored, and recovers by itself", async () => {
    const shell = startShell();
    onTestFinished(({ task }) => {
      shell.kill();
      if (task.result?.state === "fail") console.error(shell.output());
    });
    const lamp = {
      _id: "a",
      name: "Red lamp",
      price: 5,
      url: "https://shop.example/a",
      storeName: "Lichthaus",
    };
    expect(await shell.run(`mkdir /mnt/data && printf '%s\\n' '${JSON.stringify(lamp)}' > /mnt/feed`)).toBe(
      0,
    );
    expect(await shell.run('"$node" "$api" import /mnt/feed --source catalog')).toBe(0);
    expect(await shell.run('"$node" "$api" token create --account a --scopes search,webhooks')).toBe(0);
    const token = await shell.until(/(pss_\w+)/);
    // The service makes the spare file when there is space.
    const serve = async (count: number, settings = "") => {
      await shell.run(`${settings} "$node" "$api" serve 2>&1 & service=$!`);
      const pattern = new RegExp(
        `(?:Serving at http://[^:]+:\\d+[^]*?){${count - 1}}Serving at http://[^:]+:(\\d+)`,
      );
      return `http://127.0.0.1:${await shell.until(pattern)}`;
    };
    await serve(1);
    expect(
      await shell.run(
        "until test -e /mnt/data/spare-space; do sleep 0.1; done; kill $service; wait $service",
      ),
    ).toBe(0);
    await shell.run("cat /dev/zero > /mnt/fill 2> /dev/null");

    const url = await serve(2, 'FEEDS="catalog http://127.0.0.1:9/feed every 1h"');
    const get = (path: string) => fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
    const post = (path: string, body: string, headers: Record<string, string> = {}) =>
      fetch(url + path, { method: "POST", body, headers: { authorization: `Bearer ${token}`, ...headers } });
    const createWebhook = () =>
      post(
        "/api/v1/webhooks",
        JSON.stringify({ webhookUrl: "https://partner.example/x", webhookType: "price.alert" }),
        { "content-type": "application/json" },
      );
    const warning = async () => /"warning":/.exec(await (await get("/readyz")).text())?.[0];
    while ((await warning()) === undefined) await setTimeout(50);
    // What is left of the spare space is used up as well.
    await shell.run("cat /dev/zero >> /mnt/fill 2> /dev/null");
    expect((await get("/healthz")).status).toBe(200);
    // Images cannot be prepared without space, but products can be searched.
    while ((await get("/readyz")).status !== 200) await setTimeout(50);
    expect(await (await get("/api/v1/search/catalog?q=lamp")).json()).toMatchObject({ count: 1 });
    const refused = await createWebhook();
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("30");
    expect(await refused.json()).toMatchObject({ code: "unavailable" });
    const upload = () =>
      post("/api/v1/vectorize-image", JSON.stringify({ base64String: png }), {
        "content-type": "application/json",
      });
    expect((await upload()).status).toBe(503);
    await setTimeout(1000);
    expect(await (await get("/api/v1/search/catalog?q=lamp")).json()).toMatchObject({ count: 1 });

    await shell.run("rm /mnt/fill");
    while ((await warning()) !== undefined) await setTimeout(50);
    expect((await createWebhook()).status).toBe(201);
    expect((await upload()).status).toBe(200);
    // The thread that fetches feeds could not start before.
    while (!shell.output().includes("a scheduled feed could not be imported")) await setTimeout(50);
    expect(await shell.run("kill $service; wait $service")).toBe(0);
  });
});
