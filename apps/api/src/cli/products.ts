import { removeProducts } from "@product-search/features/catalog/remove-products.ts";
import { Command } from "commander";
import { withStores } from "./support/store-command.ts";

export const command = new Command("products").description("delete products").addHelpText(
  "after",
  `
Examples:
  pnpm api products delete 5f2c1a9e0b7d4c3a8e6f1b20 marketplace-a_X-9`,
);

command
  .command("delete")
  .description("delete products from the store, the indexes and the image search")
  .argument("<ids...>", "_id of each product, as in responses")
  .option("--json", "print JSON")
  .addHelpText(
    "after",
    `
A product is deleted with its price history. Webhooks with stock alerts get a last event in which it is out of stock,
unless it was out of stock before. The running service no longer finds it within a second. If a later import lists the
product, it is created again; a feed that was fetched before does not bring it back. The command exits with 1 if a product does not exist.`,
  )
  .action(async (ids: string[], options: { json?: boolean }) => {
    await withStores(async (stores) => {
      const removed = await removeProducts(stores, ids);
      if (options.json) console.log(JSON.stringify(removed));
      else for (const { id, outcome } of removed) console.log(`${id} ${words[outcome]}`);
      if (removed.some(({ outcome }) => outcome === "absent")) process.exitCode = 1;
    });
  });

const words = {
  removed: "was deleted.",
  absent: "does not exist. Write the _id from a response, which is not always the id of the feed.",
} as const;
