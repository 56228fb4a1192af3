import { access, constants, stat } from "node:fs/promises";
import { AttributeCounts } from "@product-search/core/domain/attributes.ts";
import { redactUrl } from "@product-search/core/domain/urls.ts";
import type { FeedState } from "@product-search/core/ports/imports.ts";
import { Command } from "commander";
import { assertBackupFolder, newestBackupMs } from "../compose/backup.ts";
import { composeLanguages } from "../compose/search/languages.ts";
import { describeBuild, openSearchCluster } from "../compose/search/search-cluster.ts";
import { readServingAddress } from "../compose/serving-address.ts";
import { checkStore, diskSpaceOf, hasStore } from "../compose/start-checks.ts";
import { composeExistingStores, type Stores } from "../compose/stores/stores.ts";
import { type Config, readEnvironment } from "../config.ts";
import { count } from "./support/output.ts";
import { versions } from "./support/versions.ts";

type State = "ok" | "warning" | "problem";

interface Finding {
  check: string;
  state: State;
  message: string;
  /** What to do; absent when all is well. */
  remedy?: string;
}

type Check = () => Promise<Finding[]>;

const lowDiskBytes = 1024 ** 3;
const lowDiskShare = 0.05;
const clockToleranceMs = 60_000;
const requestTimeoutMs = 3_000;
const scannedAtOnce = 1000;

export const command = new Command("doctor")
  .description("check settings, store, disk, clock, port, search, feeds and webhooks, and say what to do")
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
Nothing is changed, but that the tables of a new release are created or migrated, as at a start. The command reads the whole database, can run while the service runs, and exits with 1 if there is a
problem; a warning alone is no failure.

Examples:
  pnpm api doctor
  pnpm api doctor --json`,
  )
  .action(async (options: { json?: boolean }) => {
    const findings: Finding[] = [];
    for (const check of await checksOf(findings)) findings.push(...(await check()));
    if (options.json) console.log(JSON.stringify(findings));
    else console.log(findings.map(describe).join("\n"));
    if (findings.some(({ state }) => state === "problem")) process.exitCode = 1;
  });

/** With settings that cannot be read, nothing else can be checked. */
async function checksOf(findings: Finding[]): Promise<Check[]> {
  findings.push(ok("version", versions()));
  let config: Config;
  try {
    config = readEnvironment();
  } catch (error) {
    findings.push(problem("settings", messageOf(error), "Correct the setting; .env.example lists them all."));
    return [];
  }
  findings.push(ok("settings", "All settings can be read."));
  return [
    guarded("data folder", () => checkDataFolder(config)),
    ...(hasStore(config)
      ? [guarded("database", () => checkDatabase(config)), guarded("store", () => checkStores(config))]
      : [noStore]),
    guarded("backups", () => checkBackups(config)),
    guarded("service", () => checkService(config)),
    guarded("OpenSearch", () => checkCluster(config)),
  ];
}

const noStore: Check = async () => [
  warning("store", "There is none yet.", "`pnpm api serve` and `pnpm api import` create it."),
];

/** A check that fails is a finding, and the others still run. */
function guarded(check: string, run: Check): Check {
  return async () => {
    try {
      return await run();
    } catch (error) {
      return [
        problem(
          check,
          messageOf(error),
          "The message names the cause. Correct it, then run the command again.",
        ),
      ];
    }
  };
}

async function checkDataFolder(config: Config): Promise<Finding[]> {
  const { dataDir } = config;
  try {
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT")
      return [
        warning(
          "data folder",
          `DATA_DIR ${dataDir} does not exist.`,
          "`pnpm api serve` creates it at its start.",
        ),
      ];
    return [
      problem(
        "data folder",
        `DATA_DIR ${dataDir} cannot be read and written.`,
        "Give it to the user that runs the service.",
      ),
    ];
  }
  const { free, total } = await diskSpaceOf(config);
  const space = `${gigabytes(free)} GB of ${gigabytes(total)} GB free at ${dataDir}`;
  if (free < lowDiskBytes || free < total * lowDiskShare)
    return [warning("disk", `${space}.`, "Free some space: without any, imports and webhooks are refused.")];
  return [ok("disk", `${space}.`)];
}

const maxBackupAgeMs = 26 * 3600 * 1000;

async function checkBackups({ backups, dataDir, databaseUrl }: Config): Promise<Finding[]> {
  if (databaseUrl !== undefined) return [];
  if (backups === undefined)
    return [
      warning(
        "backups",
        "BACKUP_DIR is not set: no daily backups are written.",
        "Set it to a folder on another disk, or run `pnpm api backup` each day.",
      ),
    ];
  await assertBackupFolder(backups);
  const atMs = await newestBackupMs(backups);
  if (atMs === undefined || Date.now() - atMs > maxBackupAgeMs)
    return [
      warning(
        "backups",
        atMs === undefined
          ? `There is none in ${backups.dir}.`
          : `The newest in ${backups.dir} is of ${new Date(atMs).toISOString()}.`,
        "A running service writes one each day; its log says why one failed. `pnpm api backup` writes one now.",
      ),
    ];
  const newest = `The newest is of ${new Date(atMs).toISOString()}`;
  const isSameDisk = (await stat(backups.dir)).dev === (await stat(dataDir)).dev;
  if (isSameDisk)
    return [
      warning(
        "backups",
        `${newest}, on the disk of DATA_DIR.`,
        "Copy backups to another disk or machine, or set BACKUP_DIR to a folder there.",
      ),
    ];
  return [ok("backups", `${newest}.`)];
}

async function checkDatabase(config: Config): Promise<Finding[]> {
  await checkStore(config, true);
  return [ok("database", "No damage; the secret key and the currency fit.")];
}

async function checkStores(config: Config): Promise<Finding[]> {
  const stores = await composeExistingStores(config);
  try {
    return [
      ...(await checkCatalog(config, stores)),
      ...(await checkClock(stores)),
      ...(await checkTokens(stores)),
      ...checkFeeds(await stores.feedSchedule.list(), stores.clock.now()),
      ...(await checkWebhooks(stores)),
      ...(await checkDeadLetters(stores)),
    ];
  } finally {
    await stores.close();
  }
}

async function checkCatalog(config: Config, stores: Stores): Promise<Finding[]> {
  const { catalogStore } = stores;
  const bySource = Object.entries(await catalogStore.countBySource());
  const total = bySource.reduce((sum, [, products]) => sum + products, 0);
  if (total === 0)
    return [
      warning("products", "The store has no products.", "`pnpm api import --help` shows how to load a feed."),
    ];
  return [
    ok("products", bySource.map(([source, products]) => `${source} ${count(products)}`).join(", ")),
    await checkLanguages(config, stores),
    ...(await checkAttributes(catalogStore)),
  ];
}

async function checkLanguages(config: Config, stores: Stores): Promise<Finding> {
  const languages = await composeLanguages(config, stores);
  const origin = config.languages === undefined ? "by the texts of the products" : "by LANGUAGES";
  return ok("languages", `${languages.join(", ")}, ${origin}.`);
}

async function checkAttributes(catalogStore: Stores["catalogStore"]): Promise<Finding[]> {
  const counts = new Map<string, AttributeCounts>();
  for (let last = 0; ; ) {
    const products = await catalogStore.scan(last, scannedAtOnce);
    for (const { source, attributes = {} } of products) {
      const ofSource = counts.get(source) ?? new AttributeCounts();
      counts.set(source, ofSource);
      ofSource.addAll(attributes);
    }
    const newest = products.at(-1);
    if (newest === undefined) break;
    last = newest.rowId;
  }
  return [...counts].flatMap(([source, ofSource]) => {
    const others = ofSource.describeOthers();
    if (others === undefined) return [];
    return warning(
      "attributes",
      `${source}: ${others}.`,
      "They are shown and searched. To filter by them, give the same attribute the same name in all products.",
    );
  });
}

/** Entries of the audit log are stamped in order, so a newest one in the future means that the clock went back. */
async function checkClock({ clock, auditLog }: Stores): Promise<Finding[]> {
  const newest = (await auditLog.list({ limit: 1 })).entries[0]?.atMs ?? 0;
  const skewMs = Math.max(newest - clock.now(), Math.abs(clock.now() - Date.now()));
  if (skewMs <= clockToleranceMs) return [ok("clock", new Date(clock.now()).toISOString())];
  const seconds = Math.round(skewMs / 1000);
  return [
    problem(
      "clock",
      `The clock of this machine differs by ${count(seconds)} s from the store's.`,
      "Synchronise the clocks of all machines (NTP): webhook signatures and limits depend on them.",
    ),
  ];
}

async function checkTokens({ accountStore, clock }: Stores): Promise<Finding[]> {
  const now = clock.now();
  const valid = (await accountStore.listTokens()).filter(
    ({ revokedAtMs, expiresAtMs }) =>
      revokedAtMs === undefined && (expiresAtMs === undefined || expiresAtMs > now),
  );
  if (valid.length > 0) return [ok("tokens", `${count(valid.length)} valid`)];
  return [
    warning(
      "tokens",
      "No token is valid: only the trial search can be used.",
      "`pnpm api token create --account NAME --scopes search` creates one.",
    ),
  ];
}

function checkFeeds(feeds: readonly FeedState[], nowMs: number): Finding[] {
  if (feeds.length === 0) return [ok("feeds", "None is scheduled.")];
  return feeds.map(({ source, url, failures, error, nextAtMs, periodMs }) => {
    const name = `${source} ${redactUrl(url)}`;
    if (failures > 0)
      return problem(
        "feeds",
        `${name} failed ${count(failures)} times in a row: ${error ?? "no reason was recorded"}`,
        "Open the URL from this machine, then correct FEEDS or the feed.",
      );
    if (nextAtMs + periodMs < nowMs)
      return warning("feeds", `${name} is overdue.`, "Only a running service fetches feeds: start it.");
    return ok("feeds", `${name} works.`);
  });
}

async function checkWebhooks({ webhookStore }: Stores): Promise<Finding[]> {
  const webhooks = await webhookStore.list();
  const disabled = webhooks.filter((webhook) => webhook.disabled !== undefined);
  if (disabled.length === 0) return [ok("webhooks", `${count(webhooks.length)}, all enabled`)];
  return [
    warning(
      "webhooks",
      `${count(disabled.length)} of ${count(webhooks.length)} are disabled: ${disabled
        .slice(0, 5)
        .map(({ id, disabled: state }) => `${id} (${state?.reason ?? "unknown"})`)
        .join(", ")}`,
      "Their owners enable them with POST /webhooks/{webhook_id}/enable when the target responds again.",
    ),
  ];
}

async function checkDeadLetters({ deadLetters }: Stores): Promise<Finding[]> {
  const waiting = Object.entries(await deadLetters.count()).filter(([, number]) => number > 0);
  if (waiting.length === 0) return [ok("dead letters", "None.")];
  const named = waiting.map(([queue, number]) => `${queue} ${count(number)}`).join(", ");
  return [
    warning("dead letters", named, "`pnpm api dead-letters list` says why; `retry --all` tries again."),
  ];
}

/** A service on DATA_DIR may have another port than the environment of this command. */
async function checkService(config: Config): Promise<Finding[]> {
  const served = await readServingAddress(config);
  const isElsewhere = served !== undefined && (served.port !== config.port || served.host !== config.host);
  if (isElsewhere) {
    const findings = await checkAddress(served);
    const running = findings?.filter(({ state }) => state !== "problem") ?? [];
    if (running.length > 0) return running;
  }
  return (await checkAddress(config)) ?? [ok("service", `Not running: port ${config.port} is free.`)];
}

/** Undefined if nobody listens there. */
async function checkAddress({ host, port }: Pick<Config, "host" | "port">): Promise<Finding[] | undefined> {
  const address = host.includes(":")
    ? `[${host === "::" ? "::1" : host}]`
    : host === "0.0.0.0"
      ? "127.0.0.1"
      : host;
  let response: Response;
  try {
    response = await fetch(`http://${address}:${port}/readyz`, {
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
  } catch (error) {
    const isRefused = error instanceof Error && /ECONNREFUSED/.test(String(causeCode(error)));
    if (isRefused) return undefined;
    return [
      problem(
        "service",
        `Port ${port} does not respond: ${messageOf(error)}`,
        "Look at the log of the service.",
      ),
    ];
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body !== "object" || body === null || !("status" in body))
    return [problem("service", `Another program uses port ${port}.`, "Stop it, or set PORT to a free one.")];
  const reason = "reason" in body ? `: ${String(body.reason)}` : "";
  if (!response.ok)
    return [
      warning(
        "service",
        `It runs on port ${port} and is not ready yet${reason}`,
        "Wait; its log says what it does.",
      ),
    ];
  if ("warning" in body)
    return [warning("service", String(body.warning), "The service runs, with this limit.")];
  return [ok("service", `Ready on port ${port}; its indexes are complete.`)];
}

async function checkCluster(config: Config): Promise<Finding[]> {
  const cluster = await openSearchCluster(config);
  if (cluster === undefined) return [];
  try {
    const sequence = await cluster.searchableSequence();
    const build = await cluster.textIndexBuild();
    const building = build === undefined ? "" : ` A new one is being built: ${describeBuild(build)}.`;
    return [ok("OpenSearch", `Reached; its text index has the changes up to ${count(sequence)}.${building}`)];
  } finally {
    await cluster.close();
  }
}

function describe({ state, check, message, remedy }: Finding): string {
  const line = `${state.padEnd(7)}  ${check}: ${message}`;
  return remedy === undefined ? line : `${line}\n         ${remedy}`;
}

function ok(check: string, message: string): Finding {
  return { check, state: "ok", message };
}

function warning(check: string, message: string, remedy: string): Finding {
  return { check, state: "warning", message, remedy };
}

function problem(check: string, message: string, remedy: string): Finding {
  return { check, state: "problem", message, remedy };
}

function gigabytes(bytes: number): string {
  return (bytes / 1024 ** 3).toFixed(1);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function causeCode({ cause }: Error): unknown {
  return typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
}
