import { join } from "node:path";
import { fromMinor } from "@product-search/core/domain/price/money.ts";
import { Command, InvalidArgumentError } from "commander";
import { composeExistingStores, type Stores } from "../compose/stores/stores.ts";
import { currency as checkCurrency } from "../config/setting-values.ts";
import { type Config, readEnvironment } from "../config.ts";
import { commandActor } from "./support/store-command.ts";

interface CurrencyOptions {
  set?: string;
  yes?: boolean;
  json?: boolean;
}

export const command = new Command("currency")
  .description("show or change the currency in which the store has its prices")
  .option(
    "--set <code>",
    "the currency that the stored prices are in from now on, such as EUR",
    parseCurrency,
  )
  .option("--yes", "with --set: change it without a warning")
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
The first import records CURRENCY with the prices. Afterwards the service and every import refuse another setting, for
example after a backup was restored on a machine with other settings.

--set changes only the record and converts no price. Use it if the prices have always been in that currency, or before you
import every product again in it. Stop all processes of the store first, and set CURRENCY to the same code afterwards.

Examples:
  pnpm api currency                   print the recorded currency
  pnpm api currency --set EUR         print what the change would mean
  pnpm api currency --set EUR --yes   change it`,
  )
  .action(async (options: CurrencyOptions) => {
    const config = readEnvironment();
    const stores = await composeExistingStores(config);
    try {
      const recorded = await stores.storeCurrency.read();
      if (options.set === undefined || options.set === recorded) return print(options, recorded, config);
      await change(config, stores, options.set, recorded, options.yes === true);
      print(options, options.set, config);
    } finally {
      await stores.close();
    }
  });

async function change(
  config: Config,
  stores: Stores,
  currency: string,
  recorded: string | undefined,
  isConfirmed: boolean,
): Promise<void> {
  if (recorded !== undefined && !isConfirmed) throw new Error(warning(recorded, currency));
  const { importJournal } = stores.importParts(join(config.dataDir, "imports"));
  if ((await importJournal.findUnfinished()) !== undefined)
    throw new Error(
      `An interrupted import has prices in ${recorded ?? config.currency} and is not finished. Start the service or import any feed to finish it, then change the currency.`,
    );
  await stores.storeCurrency.replace(currency);
  await stores.unitOfWork.transact(commandActor(), ({ audit }) =>
    audit.record("currency.changed", `${recorded ?? "none"} to ${currency}`),
  );
}

function warning(recorded: string, chosen: string): string {
  const price = (currency: string) => `${fromMinor(1999, currency)} ${currency}`;
  return (
    `Nothing was changed. The prices in the store are in ${recorded} and are not converted: ${price(recorded)} becomes ${price(chosen)}, ` +
    "in price histories and alerts too. Stop all processes of the store, make a backup, and repeat the command with --yes. " +
    `Then set CURRENCY=${chosen}, and import every product again if its price changed.`
  );
}

function print({ json }: CurrencyOptions, recorded: string | undefined, { currency }: Config): void {
  if (json) console.log(JSON.stringify({ currency: recorded ?? null }));
  else if (recorded === undefined)
    console.log(`No currency is recorded. The first import records CURRENCY, which is ${currency}.`);
  else
    console.log(
      `The prices in the store are in ${recorded}.${recorded === currency ? "" : ` CURRENCY is ${currency}: set it to ${recorded}.`}`,
    );
}

function parseCurrency(text: string): string {
  try {
    return checkCurrency(text.toUpperCase());
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : String(error));
  }
}
