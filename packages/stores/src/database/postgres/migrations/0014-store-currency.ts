import { storeCurrency as tableOfBothEngines } from "../../migrations/0021-store-currency.ts";
import type { PostgresMigration } from "./migration.ts";

/** The currency of the stored prices. */
export const storeCurrency: PostgresMigration = { needs: 1, up: tableOfBothEngines.up };
