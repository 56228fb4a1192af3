import { type FollowState, followPostgres } from "@product-search/stores/catalog-copy/follow-postgres.ts";
import { openMigratedPostgres } from "@product-search/stores/database/postgres/open.ts";
import { type Config, ConfigError } from "../../config.ts";
import { openNodeCopy } from "./node-copy.ts";

/** No copy statement takes longer. If the server is silent for longer, it counts as unreachable. */
const statementTimeoutMs = 5000;

export interface CatalogCopyState extends FollowState {
  /** The sequence of the current copy. */
  epoch: string;
}

/** Keeps this node's copy of the catalog up to date until it is stopped. */
export async function composeCatalogCopy(
  { databaseUrl, dataDir }: Config,
  onState: (state: CatalogCopyState) => void,
): Promise<{ stop(): Promise<void> }> {
  if (databaseUrl === undefined) throw new ConfigError("DATABASE_URL is not set: there is nothing to copy.");
  const { db, close } = await openMigratedPostgres({
    url: databaseUrl,
    maxConnections: 1,
    statementTimeoutMs,
  });
  const copy = await openNodeCopy({ dataDir });
  const follower = followPostgres({
    db,
    copy,
    onState: (state) => onState({ ...state, epoch: copy.state().epoch }),
  });
  return {
    async stop() {
      await follower.stop();
      await close();
      await copy.close();
    },
  };
}
