import { createDerivedKeys } from "@product-search/stores/secret-box/secret-keys.ts";
import type { Config } from "../config.ts";
import type { Stores } from "./stores/stores.ts";

/** For an HTTP thread: who works in the console, and the keys that sign their sessions. */
export function composePeople(
  config: Config,
  { peopleStore, unitOfWork }: Pick<Stores, "peopleStore" | "unitOfWork">,
) {
  return { peopleStore, unitOfWork, sessionKeys: createDerivedKeys(config, "console sessions") };
}
