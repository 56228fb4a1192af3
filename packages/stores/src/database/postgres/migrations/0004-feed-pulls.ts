import { feedPulls as tableOfBothEngines } from "../../migrations/0016-feed-pulls.ts";
import type { PostgresMigration } from "./migration.ts";

/** Feeds that are fetched again and again. */
export const feedPulls: PostgresMigration = { needs: 1, up: tableOfBothEngines.up };
