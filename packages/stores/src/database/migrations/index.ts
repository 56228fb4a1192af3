import { accounts } from "./0001-accounts.ts";
import { catalog } from "./0002-catalog.ts";
import { webhooks } from "./0003-webhooks.ts";
import { pictures } from "./0004-pictures.ts";
import { marketplaceRequests } from "./0005-marketplace-requests.ts";
import { imports } from "./0006-imports.ts";
import { fullFeeds } from "./0007-full-feeds.ts";
import { productsById } from "./0008-products-by-id.ts";
import { deadLetters } from "./0009-dead-letters.ts";
import { deadLetterPayload } from "./0010-dead-letter-payload.ts";
import { idempotencyClaims } from "./0011-idempotency-claims.ts";
import { formerWebhookKeys } from "./0012-former-webhook-keys.ts";
import { access } from "./0013-access.ts";
import { publicTokens } from "./0014-public-tokens.ts";
import { productRemoval } from "./0015-product-removal.ts";
import { feedPulls } from "./0016-feed-pulls.ts";
import { eventTraces } from "./0017-event-traces.ts";
import { synonyms } from "./0018-synonyms.ts";
import { gtin } from "./0019-gtin.ts";
import { productLanguage } from "./0020-product-language.ts";
import { storeCurrency } from "./0021-store-currency.ts";
import { auditEntriesStay } from "./0022-audit-entries-stay.ts";
import { productDetails } from "./0023-product-details.ts";
import { rules } from "./0024-rules.ts";
import { writtenProducts } from "./0025-written-products.ts";
import { insights } from "./0026-insights.ts";
import { columnMaps } from "./0027-column-maps.ts";
import { popularity } from "./0028-popularity.ts";
import { readFeedsAgain } from "./0029-read-feeds-again.ts";

/** In the order they run. A landed migration is never edited: a later one mends it. */
export const migrations = {
  "0001-accounts": accounts,
  "0002-catalog": catalog,
  "0003-webhooks": webhooks,
  "0004-pictures": pictures,
  "0005-marketplace-requests": marketplaceRequests,
  "0006-imports": imports,
  "0007-full-feeds": fullFeeds,
  "0008-products-by-id": productsById,
  "0009-dead-letters": deadLetters,
  "0010-dead-letter-payload": deadLetterPayload,
  "0011-idempotency-claims": idempotencyClaims,
  "0012-former-webhook-keys": formerWebhookKeys,
  "0013-access": access,
  "0014-public-tokens": publicTokens,
  "0015-product-removal": productRemoval,
  "0016-feed-pulls": feedPulls,
  "0017-event-traces": eventTraces,
  "0018-synonyms": synonyms,
  "0019-gtin": gtin,
  "0020-product-language": productLanguage,
  "0021-store-currency": storeCurrency,
  "0022-audit-entries-stay": auditEntriesStay,
  "0023-product-details": productDetails,
  "0024-rules": rules,
  "0025-written-products": writtenProducts,
  "0026-insights": insights,
  "0027-column-maps": columnMaps,
  "0028-popularity": popularity,
  "0029-read-feeds-again": readFeedsAgain,
};
