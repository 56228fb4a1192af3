import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./docs-blocks.ts";

const path = join(root, "deploy/product-search.service");
const settings = readFileSync(path, "utf8")
  .split("\n")
  .map((line) => /^(\w+)=(.*)$/.exec(line))
  .filter((match) => match !== null)
  .map(([, name = "", value = ""]): [string, string] => [name, value]);
const valuesOf = (name: string) => settings.filter(([other]) => other === name).map(([, value]) => value);

describe("deploy/product-search.service", () => {
  it("runs the service as a user without rights, and may write only to its own folder", () => {
    expect(valuesOf("User")).toEqual(["product-search"]);
    expect(valuesOf("StateDirectory")).toEqual(["product-search"]);
    expect(valuesOf("Environment")).toContain("DATA_DIR=/var/lib/product-search");
    expect(valuesOf("ProtectSystem")).toEqual(["strict"]);
    expect(valuesOf("ReadWritePaths")).toEqual([]);
    expect(valuesOf("NoNewPrivileges")).toEqual(["yes"]);
    expect(valuesOf("CapabilityBoundingSet")).toEqual([""]);
    expect(valuesOf("UMask")).toEqual(["0077"]);
  });

  it("starts again after a failure, and has time to finish its requests", () => {
    expect(valuesOf("Restart")).toEqual(["on-failure"]);
    // By default, systemd gives up after five attempts, while PostgreSQL may be down for longer.
    expect(valuesOf("StartLimitIntervalSec")).toEqual(["0"]);
    expect(Number(valuesOf("TimeoutStopSec")[0])).toBeGreaterThan(10);
    expect(Number(valuesOf("LimitNOFILE")[0])).toBeGreaterThan(10_000);
  });

  it("lets a system call that is not allowed fail: the process goes on", () => {
    expect(valuesOf("SystemCallErrorNumber")).toEqual(["EPERM"]);
  });

  it("allows the system call that the index thread needs, after the groups that are taken away", () => {
    const filters = valuesOf("SystemCallFilter");
    expect(filters[0]).toBe("@system-service");
    expect(filters.indexOf("setpriority")).toBeGreaterThan(filters.indexOf("~@privileged @resources"));
  });

  it("is rated as well protected by systemd-analyze, where there is one", ({ skip }) => {
    // A threshold of 15 is an exposure of 1.5 out of 10.
    const rated = spawnSync("systemd-analyze", ["security", "--offline=true", "--threshold=15", path], {
      encoding: "utf8",
    });
    const isTooOld = /unrecognized option/.test(rated.stderr ?? "");
    if (rated.error || isTooOld) {
      console.warn("SKIPPED: the rating of the systemd unit | it needs a systemd-analyze that rates a file");
      skip("no systemd-analyze that rates a file");
    }
    expect(rated.status, rated.stdout + rated.stderr).toBe(0);
  });
});
