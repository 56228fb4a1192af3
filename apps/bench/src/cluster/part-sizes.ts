import { readdirSync, readFileSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { BenchCluster } from "./bench-cluster.ts";

/** Of the largest part of each kind, in megabytes. */
export interface PartSizes {
  memoryMb: Record<string, number>;
  diskMb: Record<string, number>;
}

export async function measureSizes(cluster: BenchCluster): Promise<PartSizes> {
  const memoryMb: Record<string, number> = {};
  const diskMb: Record<string, number> = {};
  for (const { name, kind, process } of cluster.parts()) {
    memoryMb[kind] = Math.max(memoryMb[kind] ?? 0, proportionalMb(process.pid() ?? 0));
    diskMb[kind] = Math.max(diskMb[kind] ?? 0, Math.round((await bytesIn(join(cluster.folder, name))) / 1e6));
  }
  return { memoryMb, diskMb };
}

/** Memory of a process and its child processes. What several processes share is counted in parts. */
function proportionalMb(pid: number): number {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isOf(name, pid));
  const kilobytes = pids.map((one) =>
    Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${one}/smaps_rollup`))?.[1] ?? 0),
  );
  return Math.round(kilobytes.reduce((sum, one) => sum + one, 0) / 1024);
}

function isOf(name: string, pid: number): boolean {
  return Number(name) === pid || Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1]) === pid;
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has ended.
    return "";
  }
}

/** What the files take on the disk. Files may be removed meanwhile. */
async function bytesIn(path: string): Promise<number> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return 0;
  if (!stats.isDirectory()) return stats.blocks * 512;
  const names = await readdir(path).catch(() => []);
  const sizes = await Promise.all(names.map((name) => bytesIn(join(path, name))));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
