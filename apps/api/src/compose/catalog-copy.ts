import { type FollowState, followPostgres } from "../adapters/catalog-copy/follow-postgres.ts";
import { openMigratedPostgres } from "../adapters/database/postgres/open.ts";
import { type Config, ConfigError } from "../config.ts";
import { openNodeCopy } from "./node-copy.ts";

/** No statement of copying takes longer: a server that is silent for so long cannot be reached. */
const statementTimeoutMs = 5000;

export interface CatalogCopyState extends FollowState {
  /** Of the copy as it is now. */
  epoch: string;
}

/** Keeps this node's copy of the catalog until it is stopped. */
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
