import { scopes } from "@product-search/core/ports/accounts.ts";
import { createToken } from "@product-search/features/accounts/accounts.ts";
import { loadSample } from "@product-search/features/catalog-write/load-sample.ts";
import {
  assertStoreCurrency,
  recordStoreCurrency,
} from "@product-search/features/catalog-write/store-currency.ts";
import { Command } from "commander";
import { defaultSampleSize, sampleProductInputs } from "../compose/sample-products.ts";
import { composeStores, type Stores } from "../compose/stores/stores.ts";
import { type Config, readEnvironment } from "../config.ts";
import { runUntilStopped } from "./support/run-until-stopped.ts";
import { commandActor } from "./support/store-command.ts";

const tokenLifetimeMs = 24 * 3600 * 1000;
const loopback = "127.0.0.0/8,::1/128";

export const command = new Command("start")
  .description(
    "run the service on loopback with the sample catalog and a development token, as `pnpm start` does",
  )
  .option("--empty", "do not load the sample catalog")
  .action(async ({ empty = false }: { empty?: boolean }) => {
    const config = readEnvironment({
      WEBHOOK_ALLOW_NETWORKS: loopback,
      LOG_LEVEL: "warn",
      ANALYTICS_DAYS: "30",
    });
    const stores = await composeStores(config);
    const { token, shopToken } = await prepare(config, stores, empty).finally(() => stores.close());
    await runUntilStopped({ ...config, shopToken }, async ({ publicUrl, untilReady }) => {
      await untilReady((parts) => console.error(`Waiting for ${parts.join(" and ")} …`));
      console.log(`
Ready. docs/tour.md has the next steps.

  Base URL   ${publicUrl}/api/v1
  Console    ${publicUrl}/#token=${token}
  Shop       ${publicUrl}/shop
  Reference  ${publicUrl}/docs
  Token      ${token}   (valid for 24 hours)

  curl '${publicUrl}/api/v1/search/trial?q=running+shoes'

Webhooks may be delivered to this machine (WEBHOOK_ALLOW_NETWORKS=${config.webhookAllowNetworks.join(",")}). \`pnpm api serve\` does not allow this by default.
${describeAnalytics(config)}
Press Ctrl-C to stop.`);
    });
  });

function describeAnalytics({ analyticsDays }: Config): string {
  return analyticsDays === 0
    ? "Searches are not counted (ANALYTICS_DAYS=0)."
    : `Searches and clicks are counted, and kept for ${analyticsDays} days (ANALYTICS_DAYS=${analyticsDays}). \`pnpm api serve\` counts nothing by default.`;
}

async function prepare(config: Config, stores: Stores, isEmpty: boolean) {
  await assertStoreCurrency(stores.storeCurrency, config.currency);
  if (!isEmpty && (await stores.catalogStore.lastSequence()) === 0) {
    await recordStoreCurrency(stores.storeCurrency, config.currency);
    console.error(`DATA_DIR ${config.dataDir} is empty: loading the sample catalog.`);
    const settings = { currency: config.currency, nowMs: stores.clock.now() };
    await loadSample(stores, sampleProductInputs(defaultSampleSize, settings));
  }
  const actor = commandActor();
  const lifetime = { lifetimeMs: tokenLifetimeMs };
  const { token } = await createToken(stores, actor, { account: "development", scopes, ...lifetime });
  if (config.shopToken !== undefined) return { token, shopToken: config.shopToken };
  const shop = { account: "shop", scopes: ["search"], publicOrigins: ["*"], ...lifetime } as const;
  const { token: shopToken } = await createToken(stores, actor, shop);
  return { token, shopToken };
}
