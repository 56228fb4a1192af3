import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { Counter, Gauge, Registry } from "prom-client";
import { composeBackups, newestBackupMs } from "../../compose/backup.ts";
import { composeStores } from "../../compose/stores/stores.ts";
import { type BackupSettings, ConfigError } from "../../config.ts";
import type { Run } from "../role.ts";

/** Bundled, the command line is beside the code that starts it. */
const commandLine = fileURLToPath(
  new URL(import.meta.url.endsWith(".ts") ? "../../main.ts" : "./main.js", import.meta.url),
);

/** Writes daily backups with the command, in a process of its own: copying a database cannot be interrupted otherwise. */
export const runBackups: Run = async ({ config, bus, logger }) => {
  const settings = config.backups;
  if (settings === undefined) throw new ConfigError("Without BACKUP_DIR there are no daily backups.");
  const stores = await composeStores(config);
  const metrics = createBackupMetrics(settings, stores.clock.now);
  const backups = composeBackups(settings, stores, async (signal) => {
    try {
      logger.info({ backup: await writeBackup(settings, signal) }, "a backup was written");
      metrics.count("written");
    } catch (error) {
      if (signal.aborted) return;
      metrics.count("failed");
      logger.error(
        { err: error, dir: settings.dir },
        "no backup was written; it is tried again in ten minutes",
      );
    }
  });
  bus.replyToPoll("metrics", metrics.read);
  return {
    async stop() {
      await backups.stop();
      await stores.close();
    },
  };
};

/** Resolves with the path. The command has the same environment. What a killed command leaves has no name of a backup. */
function writeBackup({ dir, keep }: BackupSettings, signal: AbortSignal): Promise<string> {
  const child = spawn(process.execPath, [commandLine, "backup", dir, "--keep", String(keep), "--json"], {
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  const outputs = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      outputs[name] = (outputs[name] + text).slice(-10_000);
    });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      if (code !== 0) return reject(new Error(outputs.stderr.trim() || `The command ended with ${code}.`));
      const { path }: { path: string } = JSON.parse(outputs.stdout);
      resolve(path);
    });
  });
}

function createBackupMetrics(settings: BackupSettings, now: () => number) {
  const registry = new Registry();
  const registers = [registry];
  const backups = new Counter({
    name: "product_search_backups_total",
    help: "Daily backups by outcome: written or failed.",
    labelNames: ["outcome"],
    registers,
  });
  for (const outcome of ["written", "failed"]) backups.inc({ outcome }, 0);
  const age = new Gauge({
    name: "product_search_backup_age_seconds",
    help: "Age of the newest backup in BACKUP_DIR; +Inf without any.",
    registers,
  });
  return {
    count: (outcome: "written" | "failed") => backups.inc({ outcome }),
    async read() {
      const atMs = await newestBackupMs(settings);
      age.set(atMs === undefined ? Number.POSITIVE_INFINITY : (now() - atMs) / 1000);
      return registry.getMetricsAsJSON();
    },
  };
}
