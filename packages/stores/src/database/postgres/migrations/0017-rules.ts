import { rules as tablesOfBothEngines } from "../../migrations/0024-rules.ts";
import type { PostgresMigration } from "./migration.ts";

/** The rules of the catalog search. */
export const rules: PostgresMigration = { needs: 1, up: tablesOfBothEngines.up };
