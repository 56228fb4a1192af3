import { Worker } from "node:worker_threads";
import { createUtilizationMemory } from "@product-search/api/http/connections/connection-balancer.ts";
import { createRateMemory } from "@product-search/http-rules/access/rate-limiter.ts";
import { createFrameStore } from "./frame-service.ts";
import type { FrameThreadData } from "./frame-thread.ts";

// The frame in a process of its own, whose processor time can be read: started by `fork`, with the settings as JSON.
const { config, token, remove } = await createFrameStore(JSON.parse(process.argv[2] ?? "{}"));
const workerData: FrameThreadData = {
  kind: "frame",
  number: 0,
  config: { ...config, threads: 1 },
  rateMemory: createRateMemory(),
  utilizationMemory: createUtilizationMemory(1),
};
const worker = new Worker(new URL("./frame-thread.ts", import.meta.url), { workerData });
worker.once("message", (port: number) => process.send?.({ url: `http://127.0.0.1:${port}`, token }));
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ processorMs: (user + system) / 1000 });
});
process.once("disconnect", async () => {
  await worker.terminate();
  remove();
});
