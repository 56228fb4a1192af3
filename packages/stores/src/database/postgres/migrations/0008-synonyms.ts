import { synonyms as tableOfBothEngines } from "../../migrations/0018-synonyms.ts";
import type { PostgresMigration } from "./migration.ts";

/** The operator's changes to the included synonyms. */
export const synonyms: PostgresMigration = { needs: 1, up: tableOfBothEngines.up };
