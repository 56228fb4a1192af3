import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "@product-search/testing/outbound-http/listen.ts";
import { type BenchServer, call, costOf, folderMb } from "./server.ts";

const partSize = 50_000;

export async function startMeilisearch(
  program: string,
  folder: string,
  products: number,
): Promise<BenchServer> {
  const origin = `http://127.0.0.1:${await freePort()}`;
  const options = ["--db-path", folder, "--http-addr", origin.slice("http://".length), "--no-analytics"];
  const child = spawn(program, options, { stdio: "ignore" });
  await once(child, "spawn");
  const { pid = 0 } = child;
  while (!(await fetch(`${origin}/health`).catch(() => undefined))?.ok) {
    if (child.exitCode !== null) throw new Error(`${program} ended with status ${child.exitCode}.`);
    await delay(50);
  }
  const imported = await costOf(pid, async (parts) => {
    await finished(origin, "PATCH", "/indexes/products/settings", {
      searchableAttributes: ["name", "brand", "category", "description"],
      filterableAttributes: ["price"],
      sortableAttributes: ["price"],
    });
    for (const part of parts(products, partSize))
      await finished(origin, "POST", "/indexes/products/documents?primaryKey=id", lines(part));
  });
  return {
    name: "Meilisearch",
    origin,
    pid,
    imported,
    diskMb: folderMb(folder),
    request({ text, sort, filters: { minPriceMinor: min, maxPriceMinor: max } = {} }) {
      return {
        method: "POST",
        path: "/indexes/products/search",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          q: text,
          matchingStrategy: "all",
          page: 1,
          hitsPerPage: 20,
          ...(sort === "price" && { sort: ["price:asc"] }),
          ...(min !== undefined && max !== undefined && { filter: `price ${min / 100} TO ${max / 100}` }),
        }),
      };
    },
    async stop() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

function lines(part: readonly unknown[]): string {
  return part.map((one) => JSON.stringify(one)).join("\n");
}

/** It does one task after another: this one is done when it says so. */
async function finished(origin: string, method: string, path: string, body: unknown): Promise<void> {
  const { taskUid } = (await call(origin + path, method, body)) as { taskUid: number };
  for (;;) {
    const task = (await call(`${origin}/tasks/${taskUid}`, "GET")) as { status: string; error: unknown };
    if (task.status === "succeeded") return;
    if (task.status !== "enqueued" && task.status !== "processing")
      throw new Error(`Meilisearch: ${task.status} ${JSON.stringify(task.error)}`);
    await delay(20);
  }
}
