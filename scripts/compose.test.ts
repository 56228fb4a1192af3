import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "./docs-blocks.ts";

interface Service {
  image: string;
  profiles?: string[];
  ports?: string[];
  volumes?: string[];
  environment?: Record<string, string>;
  entrypoint?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[] };
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  mem_limit?: string;
  networks?: string[];
}
interface ComposeFile {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

const text = readFileSync(join(root, "deploy/compose.yaml"), "utf8");
const { services, volumes }: ComposeFile = parse(text, { merge: true });
const all = Object.entries(services);
const cluster = all.filter(([, { profiles }]) => profiles?.includes("cluster"));
const nodes = cluster.filter(([name]) => name.startsWith("node-"));
const ours = all.filter(([, { image }]) => image === "product-search");

describe("deploy/compose.yaml", () => {
  it("has one node without a profile, and a cluster of PostgreSQL, OpenSearch, three nodes and a balancer", () => {
    expect(all.filter(([, { profiles }]) => !profiles).map(([name]) => name)).toEqual(["api"]);
    expect(cluster.map(([name]) => name).sort()).toEqual([
      "balancer",
      "cluster-settings",
      "node-1",
      "node-2",
      "node-3",
      "opensearch",
      "postgres",
    ]);
    expect(services.postgres?.image).toMatch(/^postgres:18\b/);
    expect(services.opensearch?.image).toBe("opensearchproject/opensearch:2.19.1");
  });

  it("puts Caddy with TLS before one node, and keeps metrics from the public", () => {
    const { tls } = services;
    expect(tls?.profiles).toEqual(["tls"]);
    expect(tls?.ports).toEqual(["80:80", "443:443"]);
    expect(tls?.environment?.UPSTREAM).toBe("api:3000");
    expect(tls?.volumes?.[0]).toBe("./Caddyfile:/etc/caddy/Caddyfile:ro");
    const caddyfile = readFileSync(join(root, "deploy/Caddyfile"), "utf8");
    expect(caddyfile).toContain("reverse_proxy {$UPSTREAM:127.0.0.1:3000}");
    expect(caddyfile).toMatch(/^\trespond \/metrics 404$/m);
  });

  it("names only settings of .env.example", () => {
    const settings = readFileSync(join(root, ".env.example"), "utf8").match(/^(?:# )?[A-Z_]+(?==)/gm) ?? [];
    const known = new Set(settings.map((setting) => setting.replace("# ", "")));
    expect(known.size).toBeGreaterThan(30);
    for (const service of ["api", ...nodes.map(([name]) => name)]) {
      const names = Object.keys(services[service]?.environment ?? {});
      expect(names).toContain("SECRET_KEY");
      expect(names.filter((name) => !known.has(name))).toEqual([]);
    }
  });

  it("gives all nodes the same settings, a folder each, and a health check on /readyz", () => {
    for (const [name, node] of nodes) {
      expect(node.environment).toEqual(services["node-1"]?.environment);
      for (const shared of ["DATABASE_URL", "SEARCH_URL", "SECRET_KEY"]) {
        expect(node.environment).toHaveProperty(shared);
      }
      expect(node.volumes).toEqual([`${name}:/data`]);
      expect(node.healthcheck?.test?.join(" ")).toContain("/readyz");
      // It checks them by itself: one that builds its indexes for hours must not keep the others from being used.
      expect(services.balancer?.depends_on?.[name]?.condition).toBe("service_started");
    }
  });

  it("keeps the balancer away from the servers, and metrics away from the balancer", () => {
    expect(services.balancer?.networks).toEqual(["front"]);
    expect([services.postgres?.networks, services.opensearch?.networks]).toEqual([["back"], ["back"]]);
    const { PORT, METRICS_PORT } = services["node-1"]?.environment ?? {};
    expect(METRICS_PORT).toBeDefined();
    expect(METRICS_PORT).not.toBe(PORT);
  });

  it("starts nodes whatever the status of OpenSearch is: only they can build its indexes again", () => {
    expect(services.opensearch?.healthcheck?.test?.join(" ")).not.toContain("status");
  });

  it("uses only volumes and files that exist, and publishes each port once, on this machine but for TLS", () => {
    const sources = all.flatMap(([, service]) => service.volumes ?? []).map((one) => one.split(":")[0] ?? "");
    for (const source of sources) {
      if (source.startsWith("./")) expect(existsSync(join(root, "deploy", source)), source).toBe(true);
      else expect(volumes).toHaveProperty(source);
    }
    const published = all.flatMap(([, service]) => service.ports ?? []);
    const ports = published.map((port) => port.split(":").at(-2));
    expect(ports).toEqual([...new Set(ports)]);
    const isEncrypted = (port: string) => services.tls?.ports?.includes(port) || port.endsWith(":3443");
    const unencrypted = published.filter((port) => !isEncrypted(port));
    expect(unencrypted.length).toBeGreaterThan(1);
    for (const port of unencrypted) expect(port).toMatch(/^\$\{PUBLISH_ADDRESS:-127\.0\.0\.1\}:/);
  });

  it("pins each image, limits each server of the cluster, and gives our containers no rights", () => {
    for (const [name, { image, mem_limit, security_opt }] of cluster) {
      if (image !== "product-search") expect(image).toMatch(/:\d/);
      if (name !== "cluster-settings") expect(mem_limit, name).toMatch(/^\d+[mg]$/);
      expect(security_opt, name).toEqual(["no-new-privileges:true"]);
    }
    expect(services.api?.mem_limit).toMatch(/^\d+g$/);
    for (const [name, { read_only, cap_drop }] of ours) {
      expect({ name, read_only, cap_drop }).toEqual({ name, read_only: true, cap_drop: ["ALL"] });
    }
  });

  it("starts one node without any variable: Compose reads those of all profiles", () => {
    const values = JSON.stringify(services);
    expect(values).toMatch(/\$\{SECRET_KEY:-\}/);
    expect(values.match(/(?<!\$)\$\{[A-Z_]+(?!:-)[^A-Z_]/g)).toBe(null);
    expect(values).not.toMatch(/"(?:POSTGRES_PASSWORD|SECRET_KEY)":"(?!\$\{)/);
  });

  const checked = (POSTGRES_PASSWORD: string, SECRET_KEY: string) => {
    const [shell = "", flag = "", script = ""] = services["cluster-settings"]?.entrypoint ?? [];
    const env = { PATH: process.env.PATH ?? "", POSTGRES_PASSWORD, SECRET_KEY };
    const { status, stderr } = spawnSync(shell, [flag, script.replaceAll("$$", "$")], {
      env,
      encoding: "utf8",
    });
    return { isRight: status === 0, message: stderr };
  };

  it("refuses a cluster without its secrets, and names the variable", () => {
    expect(services.postgres?.depends_on).toEqual(services.opensearch?.depends_on);
    expect(services.postgres?.depends_on?.["cluster-settings"]?.condition).toBe(
      "service_completed_successfully",
    );
    expect(checked("a-b.c_1", "key")).toEqual({ isRight: true, message: "" });
    expect(checked("", "key")).toMatchObject({
      isRight: false,
      message: expect.stringContaining("POSTGRES_PASSWORD"),
    });
    expect(checked("a/b", "key")).toMatchObject({
      isRight: false,
      message: expect.stringContaining("POSTGRES_PASSWORD"),
    });
    expect(checked("abc", "")).toMatchObject({
      isRight: false,
      message: expect.stringContaining("SECRET_KEY"),
    });
  });

  it("the balancer asks every node whether it is ready, or else alive", () => {
    const config = readFileSync(join(root, "deploy/haproxy.cfg"), "utf8");
    for (const [backend, path] of [
      ["ready", "/readyz"],
      ["alive", "/healthz"],
    ]) {
      const section = new RegExp(`^backend ${backend}\\n((?: .*\\n)+)`, "m").exec(config)?.[1] ?? "";
      expect(section).toContain(`option httpchk GET ${path}\n`);
      expect(section.match(/(?<=^ {2}server )\S+/gm)).toEqual(nodes.map(([name]) => name));
    }
  });
});
