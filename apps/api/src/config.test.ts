import { readFileSync } from "node:fs";
import { createTargetPolicy } from "@product-search/outbound-http/target-policy.ts";
import { describe, expect, it } from "vitest";
import { ConfigError, readConfig } from "./config.ts";

describe("the configuration", () => {
  it("has a default for everything", () => {
    expect(readConfig({})).toMatchObject({
      host: "127.0.0.1",
      port: 3000,
      publicUrl: "http://127.0.0.1:3000",
      currency: "USD",
      trialRateLimit: { requests: 120, seconds: 60 },
      tokenRateLimit: { requests: 3000, seconds: 60 },
      publicRateLimit: { requests: 300, seconds: 60 },
      pageRateLimit: { requests: 1200, seconds: 60 },
      imageSlugDays: 30,
      webhookAllowNetworks: [],
    });
  });

  it("cannot be changed once read", () => {
    expect(Object.isFrozen(readConfig({}))).toBe(true);
  });

  it("writes backups at 3 o'clock and keeps seven, unless told otherwise", () => {
    expect(readConfig({}).backups).toBeUndefined();
    expect(readConfig({ BACKUP_DIR: "/backups" }).backups).toEqual({
      dir: "/backups",
      atMinute: 180,
      keep: 7,
    });
    const settings = { BACKUP_DIR: "/backups", BACKUP_TIME: "23:59", BACKUP_KEEP: "30" };
    expect(readConfig(settings).backups).toEqual({ dir: "/backups", atMinute: 1439, keep: 30 });
  });

  it("refuses backups of the file beside PostgreSQL", () => {
    const settings = {
      BACKUP_DIR: "/backups",
      DATABASE_URL: "postgres://user@host/search",
      SECRET_KEY: btoa("x".repeat(32)),
    };
    expect(() => readConfig(settings)).toThrow("BACKUP_DIR: is for the database in DATA_DIR");
  });

  it.each(["https://login.example.com/realms/shop", "http://127.0.0.1:8080"])(
    "keeps the authorization server %s as its tokens write it",
    (issuer) => expect(readConfig({ AGENT_ISSUER: issuer }).agentIssuer).toBe(issuer),
  );

  it("takes 0 for no limit", () => {
    expect(readConfig({ TRIAL_RATE_LIMIT: "0" }).trialRateLimit).toBeUndefined();
  });

  it.each([
    ["PORT", "70000"],
    ["PORT", "http"],
    ["PUBLIC_URL", "example.com"],
    ["PUBLIC_URL", "https://user:secret@example.com"],
    ["AGENT_ISSUER", "login.example.com"],
    ["AGENT_ISSUER", "http://login.example.com"],
    ["AGENT_ISSUER", "https://user:secret@login.example.com"],
    ["AGENT_ISSUER", "https://login.example.com/?tenant=1"],
    ["THREADS", "0"],
    ["LOG_LEVEL", "loud"],
    ["LOG_REQUESTS", "some"],
    ["CURRENCY", "dollars"],
    ["CURRENCY", "QQQ"],
    ["LANGUAGES", "en,it"],
    ["LANGUAGES", ","],
    ["SECRET_KEY", "short"],
    ["TRIAL_RATE_LIMIT", "10"],
    ["TOKEN_RATE_LIMIT", "0/60"],
    ["IMAGE_SLUG_DAYS", "-1"],
    ["TOKEN_EXPIRY_DAYS", "0"],
    ["METRICS_TOKEN", "short"],
    ["SHOP_TOKEN", "pss_short"],
    ["METRICS_TOKEN", "with white space in it"],
    ["BACKUP_DIR", "data"],
    ["BACKUP_TIME", "24:00"],
    ["BACKUP_TIME", "3:00"],
    ["BACKUP_TIME", "03:00"],
    ["BACKUP_KEEP", "0"],
    ["BACKUP_KEEP", "7"],
    ["METRICS_PORT", "0"],
    ["METRICS_PORT", "3000"],
    ["TRUST_PROXY", "10.0.0.0/64"],
    ["WEBHOOK_ALLOW_NETWORKS", "localhost"],
    ["FETCH_ALLOW_NETWORKS", "10.0.0.0/8,nonsense"],
    ["CORS_ORIGINS", "https://example.com/path"],
    ["SECONDHAND_SOURCES", "marketplace-x"],
    ["LLM_BASE_URL", "https://models.example"],
    ["LLM_MODEL", "alone"],
    ["DATABASE_URL", "postgres://x"],
    ["DATABASE_URL", "mysql://user@host/database"],
    ["DATABASE_URL", "postgres://user@host/database"],
    ["SEARCH_URL", "https://search.example:9200"],
    ["SEARCH_URL", "search.example:9200"],
    ["SEARCH_SHARDS", "33"],
    ["SEARCH_REPLICAS", "many"],
    ["SEARCH_URL", "https://one.example:9200/a,https://two.example:9200/b"],
    ["SEARCH_URL", "https://search.example:9200/Capitals"],
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
    ["OTEL_TRACES_SAMPLER_ARG", "10"],
    ["FEEDS", "https://shop.example/feed.xml every 30m"],
    ["FEEDS", "catalog https://shop.example/feed.xml"],
    ["FEEDS", "catalog https://shop.example/feed.xml every 30s"],
    ["FEEDS", "catalog https://shop.example/feed.xml every 0m"],
    ["FEEDS", "catalog https://shop.example/feed.xml every 169h"],
    ["FEEDS", "catalog ftp://shop.example/feed.xml every 30m"],
    ["FEEDS", "catalog https://shop.example/feed.xml every 30m always"],
    ["FEEDS", "catalog shopify:shop.example every 30m"],
    ["FEEDS", "catalog shopify:https://shop.example/products.json every 30m"],
    ["FEEDS", "catalog woocommerce:https://me:secret@shop.example every 30m"],
    ["FEEDS", "catalog woocommerce:https://shop.example/?consumer_key=1 every 30m"],
    ["FEEDS", "catalog magento:https://shop.example every 30m"],
    ["FEEDS", "catalog https://a.example/ every 1h, catalog https://a.example/ every 2h"],
    ["SHOPIFY_ADMIN_TOKENS", "shpat_1"],
    ["SHOPIFY_ADMIN_TOKENS", "https://a.example=shpat_1"],
    ["SHOPIFY_ADMIN_TOKENS", "a.example=shpat 1"],
    ["TRUST_PROXY", "10"],
    ["WEBHOOK_ALLOW_NETWORKS", "10/8"],
    ["FETCH_ALLOW_NETWORKS", "fd00::/129"],
  ])("refuses %s=%s and names it", (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(ConfigError);
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });

  it.each([
    ["WEBHOOK_ALLOW_NETWORKS", "10.0.0.1", "10.0.0.1/32"],
    ["FETCH_ALLOW_NETWORKS", "fd00::1", "fd00::1/128"],
  ])("refuses %s=%s, an address, and says how to write it as a network", (name, value, network) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name}="${value}": `);
    expect(() => readConfig({ [name]: value })).toThrow(`write ${network}`);
  });

  it("reads feeds, also where their URLs have commas, and never prints them", () => {
    const { feeds } = readConfig({
      FEEDS:
        "catalog https://a.example/f?x=1,2 every 30m full,marketplace-a https://b.example/ every 2h,\n marketplace-b http://c.example/ every 1m remove-absent, catalog https://d.example/ every 1m remove-absent no-removal-limit",
    });
    expect(feeds).toEqual([
      { source: "catalog", url: "https://a.example/f?x=1,2", periodMs: 1_800_000, absent: "out_of_stock" },
      { source: "marketplace-a", url: "https://b.example/", periodMs: 7_200_000, absent: "keep" },
      { source: "marketplace-b", url: "http://c.example/", periodMs: 60_000, absent: "remove" },
      { source: "catalog", url: "https://d.example/", periodMs: 60_000, absent: "remove_without_limit" },
    ]);
    const broken = () => readConfig({ FEEDS: "catalog https://a.example/?token=hidden every day" });
    expect(broken).toThrow("FEEDS");
    expect(broken).not.toThrow("hidden");
    const tokens = "A.myshopify.com=shpat_1, b.example:8443=x=y";
    expect(readConfig({ SHOPIFY_ADMIN_TOKENS: tokens }).shopifyAdminTokens).toEqual({
      "a.myshopify.com": "shpat_1",
      "b.example:8443": "x=y",
    });
    expect(() => readConfig({ SHOPIFY_ADMIN_TOKENS: "hidden" })).not.toThrow("hidden");
  });

  it("traces when there is a collector, with OpenTelemetry's own settings", () => {
    expect(readConfig({ OTEL_SERVICE_NAME: "search" }).tracing).toBeUndefined();
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/",
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20b, x=y",
    };
    expect(readConfig(environment).tracing).toEqual({
      endpoint: "http://127.0.0.1:4318",
      headers: { "api-key": "a b", x: "y" },
      serviceName: "product-search",
      ratio: 0.1,
    });
    const broken = () => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: "hidden" });
    expect(broken).toThrow("OTEL_EXPORTER_OTLP_HEADERS");
    expect(broken).not.toThrow("hidden");
  });

  it("accepts only networks that can be allowed", () => {
    const networks = ["10.0.0.0/8", "10.0.0.1/32", "fd00::/8", "::1/128", "0.0.0.0/0"];
    const { webhookAllowNetworks, trustProxy } = readConfig({
      WEBHOOK_ALLOW_NETWORKS: networks.join(", "),
      TRUST_PROXY: "10.0.0.1, fd00::1, 10.0.0.0/8",
    });
    expect(webhookAllowNetworks).toEqual(networks);
    expect(trustProxy).toEqual(["10.0.0.1", "fd00::1", "10.0.0.0/8"]);
    const settings = { allowNetworks: webhookAllowNetworks, httpsOnly: true };
    expect(() => createTargetPolicy(settings)).not.toThrow();
  });

  it("names everything that is wrong at once, and no secret", () => {
    const secret = "do not print me";
    const read = () => readConfig({ PORT: "x", THREADS: "y", SECRET_KEY: secret, METRICS_TOKEN: secret });
    expect(read).toThrow(/PORT[\s\S]*SECRET_KEY[\s\S]*THREADS|PORT[\s\S]*THREADS[\s\S]*SECRET_KEY/);
    expect(read).not.toThrow(/do not print me/);
  });

  it("is listed whole in .env.example, with the defaults", () => {
    const example = readFileSync(new URL("../../../.env.example", import.meta.url), "utf8");
    const listed = [...example.matchAll(/^#? ?([A-Z_]+)=(.*)$/gm)].map(
      (match) => [match[1] ?? "", match[2] ?? ""] as const,
    );
    // With a model set up, its key is read as well.
    const model: Record<string, string> = { LLM_BASE_URL: "http://127.0.0.1/v1", LLM_MODEL: "any" };
    const read = new Set<string>();
    const get = (_: object, name: string) => {
      read.add(name);
      return model[name];
    };
    readConfig(new Proxy<Record<string, string>>({}, { get }));
    expect(listed.filter(([name]) => !read.has(name))).toEqual([]);
    expect([...read].filter((name) => !example.includes(name))).toEqual([]);
    const active = [...example.matchAll(/^([A-Z_]+)=(.*)$/gm)].map((match) => [
      match[1] ?? "",
      match[2] ?? "",
    ]);
    expect(readConfig(Object.fromEntries(active))).toEqual(readConfig({}));
  });
});
