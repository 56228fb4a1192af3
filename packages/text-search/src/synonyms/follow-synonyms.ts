import {
  createVersionReader,
  followVersion,
  type SharedVersion,
  type UntilChange,
} from "@product-search/core/mechanisms/versions.ts";
import type {
  StoredSynonyms,
  SynonymChanges,
  SynonymStore,
} from "@product-search/core/ports/merchandising.ts";
import {
  compileSynonyms,
  formatSynonym,
  type Language,
  parseSynonyms,
  type SynonymRule,
  type SynonymTable,
} from "@product-search/text-index";
import type { SynonymsOf } from "../newest-index.ts";

export interface FollowSynonymsSettings {
  store: Pick<SynonymStore, "version" | "read">;
  /** For one of several threads of a node. */
  shared?: SharedVersion | undefined;
  /** Called once per interruption; until it ends, the last known synonyms apply. */
  onError(error: unknown): void;
  pollMs?: number;
  untilChange?: UntilChange;
}

export interface SynonymFollower {
  /** The listener gets the synonyms after every change. Without a change, the included ones apply. */
  subscribe(receive: (synonymsOf: SynonymsOf) => void): void;
  stop(): void;
}

function synonymsOfStored(stored: StoredSynonyms | undefined): SynonymsOf {
  const changes = stored ?? noChanges;
  return (language) => compileRules(effectiveRules(changes, language), language);
}

/** Reads the synonyms if they have changed since the last call, and publishes them. */
export function createSynonymReader(
  store: Pick<SynonymStore, "version" | "read">,
  publish: (synonymsOf: SynonymsOf) => void,
): () => Promise<void> {
  return createVersionReader(store, (stored) => {
    publish(synonymsOfStored(stored));
    return stored?.version;
  });
}

/** Follows the changes of operators. Resolves after the first attempt to read them. */
export async function followSynonyms(settings: FollowSynonymsSettings): Promise<SynonymFollower> {
  const listeners: ((synonymsOf: SynonymsOf) => void)[] = [];
  let current: SynonymsOf | undefined;
  const stop = await followVersion<StoredSynonyms | undefined>({
    ...settings,
    receive(stored) {
      current = synonymsOfStored(stored);
      for (const listener of listeners) listener(current);
      return stored?.version;
    },
  });
  return {
    subscribe(receive) {
      listeners.push(receive);
      if (current !== undefined) receive(current);
    },
    stop,
  };
}

/** Rules by their lines. */
export type Rules = ReadonlyMap<string, SynonymRule>;

export const noChanges: SynonymChanges = { added: [], removed: [] };

const included = new Map<string, Rules>();

/** Parsed on first use: a service without changes does not need the lines. */
export function includedRules(language: Language): Rules {
  const rules = included.get(language.code) ?? rulesByLine(parseSynonyms(language.synonymRules));
  included.set(language.code, rules);
  return rules;
}

export function rulesByLine(rules: readonly SynonymRule[]): Rules {
  return new Map(rules.map((rule) => [formatSynonym(rule), rule]));
}

/** The included rules of a language that were not removed, and the added ones, which apply in every language. */
export function effectiveRules({ added, removed }: SynonymChanges, language: Language): Rules {
  const rules = new Map(includedRules(language));
  for (const line of removed) rules.delete(line);
  for (const line of added) for (const rule of parseSynonyms(line)) rules.set(line, rule);
  return rules;
}

export function compileRules(rules: Rules, { termOf }: Language): SynonymTable {
  return compileSynonyms(rules.values(), termOf);
}
