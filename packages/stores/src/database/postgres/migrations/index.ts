import { firstTables } from "./0001-first-tables.ts";
import { leases } from "./0002-leases.ts";
import { rateBudgets } from "./0003-rate-budgets.ts";
import { feedPulls } from "./0004-feed-pulls.ts";
import { publicTokens } from "./0005-public-tokens.ts";
import { marketplaceTurns } from "./0006-marketplace-turns.ts";
import { eventTraces } from "./0007-event-traces.ts";
import { synonyms } from "./0008-synonyms.ts";
import { gtin } from "./0009-gtin.ts";
import { productLanguage } from "./0010-product-language.ts";
import { keptRateBudgets } from "./0011-kept-rate-budgets.ts";
import { imageModels } from "./0012-image-models.ts";
import { tokenUses } from "./0013-token-uses.ts";
import { storeCurrency } from "./0014-store-currency.ts";
import { importsBySource } from "./0015-imports-by-source.ts";
import { productDetails } from "./0016-product-details.ts";
import { rules } from "./0017-rules.ts";
import { writtenProducts } from "./0018-written-products.ts";
import { insights } from "./0019-insights.ts";
import { columnMaps } from "./0020-column-maps.ts";
import { popularity } from "./0021-popularity.ts";
import { readFeedsAgain } from "./0022-read-feeds-again.ts";
import type { PostgresMigration } from "./migration.ts";

/** In the order they run. A landed migration is never edited: a later one mends it. */
export const migrations: readonly PostgresMigration[] = [
  firstTables,
  leases,
  rateBudgets,
  feedPulls,
  publicTokens,
  marketplaceTurns,
  eventTraces,
  synonyms,
  gtin,
  productLanguage,
  keptRateBudgets,
  imageModels,
  tokenUses,
  storeCurrency,
  importsBySource,
  productDetails,
  rules,
  writtenProducts,
  insights,
  columnMaps,
  popularity,
  readFeedsAgain,
];
