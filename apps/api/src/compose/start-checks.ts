import { openDatabase } from "../adapters/database/open.ts";
import { acceptSecretKey, assertSecretKey } from "../adapters/secret-box/stored-check.ts";
import type { Config } from "../config.ts";

/** Everything about the store that would otherwise fail in the middle of the work is refused here, before anything is served. */
export async function checkStore(config: Config): Promise<void> {
  const { connection, close } = await openDatabase(config.dataDir);
  try {
    assertSecretKey({ connection, ...config });
  } finally {
    await close();
  }
}

/** For an operator whose former key is lost: the present one is used from now on. Gives the webhooks that it cannot sign for. */
export async function acceptPresentSecretKey(config: Config): Promise<string[]> {
  const { connection, close } = await openDatabase(config.dataDir);
  try {
    return acceptSecretKey({ connection, ...config });
  } finally {
    await close();
  }
}
