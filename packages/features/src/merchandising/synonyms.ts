import { ApiError } from "@product-search/core/errors.ts";
import type { AddedSynonyms, SaveSynonyms, SynonymEditor } from "@product-search/core/ports/merchandising.ts";
import type { Transact } from "@product-search/core/ports/unit-of-work.ts";
import type { Synonym, SynonymOrigin } from "@product-search/types";

export interface SynonymsDeps {
  synonymEditor: SynonymEditor;
}

export interface ChangeSynonymsDeps extends SynonymsDeps {
  transact: Transact<boolean>;
}

export async function listSynonyms(
  { synonymEditor }: SynonymsDeps,
  { origin }: { origin?: SynonymOrigin } = {},
): Promise<Synonym[]> {
  const listed = await synonymEditor.list();
  return origin === undefined ? listed : listed.filter((synonym) => synonym.origin === origin);
}

/** Adds rules, one per line. If one is refused, none is added. */
export function addSynonyms(
  { synonymEditor, transact }: ChangeSynonymsDeps,
  text: string,
): Promise<AddedSynonyms> {
  return synonymEditor.add(text, saveWith(transact));
}

/** Adds one rule, or leaves it if it applies already. */
export async function addSynonym(deps: ChangeSynonymsDeps, { rule }: { rule: string }): Promise<Synonym> {
  const line = rule.trim();
  if (line === "" || /[\n\r#]/.test(line))
    throw new ApiError(
      "invalid_request",
      'rule: is not one rule. Write one line without "#", such as "couch, sofa".',
    );
  const { rules } = await addSynonyms(deps, line);
  const [synonym] = rules;
  if (synonym === undefined) throw new Error("A line that was accepted gave no rule.");
  return synonym;
}

/** Removes one rule and returns it as it was listed. */
export function removeSynonym(
  { synonymEditor, transact }: ChangeSynonymsDeps,
  rule: string,
): Promise<string> {
  return synonymEditor.remove(rule, saveWith(transact));
}

/** The same as an operation: an included rule stays in the list. */
export async function deleteSynonym(deps: ChangeSynonymsDeps, { rule }: { rule: string }): Promise<Synonym> {
  const removed = await removeSynonym(deps, rule);
  const left = (await listSynonyms(deps)).find((one) => one.rule === removed);
  return left ?? { rule: removed, origin: "added" };
}

/** A change and its entry in the audit log are one transaction. */
function saveWith(transact: Transact<boolean>): SaveSynonyms {
  return ({ changes, former, added, removed }) =>
    transact(async ({ synonymStore, audit }) => {
      if (!(await synonymStore.replace(changes, former))) return false;
      if (added.length > 0) await audit.record("synonym.added", ...describe(added));
      if (removed.length > 0) await audit.record("synonym.removed", ...describe(removed));
      return true;
    });
}

/** An import of thousands of rules is one entry. */
function describe(rules: readonly string[]): [subject: string, details: { rules: string }] {
  const [only = "", second] = rules;
  return [second === undefined ? only : `${rules.length} rules`, { rules: rules.join("\n") }];
}
