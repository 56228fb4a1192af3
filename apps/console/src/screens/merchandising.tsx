import { isProductSearchError, type Rule } from "@product-search/client";
import { Link, useLocation, useSearchParams } from "wouter";
import { DeveloperPanel } from "../parts/developer-panel.tsx";
import { PanelSkeleton } from "../parts/elements.tsx";
import { DraftReview } from "../parts/merchandising/draft-review.tsx";
import {
  draftPath,
  newRulePath,
  rulesPath,
  ScopeNotice,
  synonymsPath,
} from "../parts/merchandising/product-line.tsx";
import { RuleEditor } from "../parts/merchandising/rule-editor.tsx";
import { RuleList } from "../parts/merchandising/rule-list.tsx";
import { SynonymList } from "../parts/merchandising/synonym-list.tsx";
import { EmptyNotice, ErrorNotice } from "../parts/notice.tsx";
import { TokenNotice } from "../parts/shell/token-notice.tsx";
import { emptyDraft, toDraft } from "../service/merchandising/rule-draft.ts";
import { useDraft } from "../service/merchandising/use-draft.ts";
import { useRules } from "../service/merchandising/use-rules.ts";
import { useCatalogValues } from "../service/search/use-catalog.ts";
import { useService } from "../service/service-context.tsx";
import { usePageTitle } from "../service/use-page-title.ts";

/** What a shop's team changes about searches: rules and synonyms. The address says which of them, and which rule is open. */
export function MerchandisingScreen() {
  const { token } = useService();
  const [parameters] = useSearchParams();
  const ruleId = parameters.get("rule");
  const tab = parameters.get("tab") ?? "rules";
  const [{ changes }] = useDraft();
  usePageTitle("Merchandising");
  return (
    <>
      <section className="hero small-hero">
        <h1>Merchandising</h1>
        <p className="muted">
          Change what searches find and what comes first. A change applies within two seconds.
        </p>
      </section>
      {token === "" ? (
        <TokenNotice what="merchandising" />
      ) : (
        <>
          <nav aria-label="Merchandising">
            <ul className="sub-tabs">
              {(
                [
                  ["rules", "Rules", rulesPath],
                  ["synonyms", "Synonyms", synonymsPath],
                  ["draft", changes.length === 0 ? "Draft" : `Draft (${changes.length})`, draftPath],
                ] as const
              ).map(([name, text, path]) => (
                <li key={name}>
                  <Link href={path} aria-current={tab === name ? "page" : undefined}>
                    {text}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          {tab === "draft" && <DraftReview />}
          {tab === "synonyms" && (
            <SynonymList key={parameters.get("add")} start={parameters.get("add") ?? ""} />
          )}
          {tab === "rules" && <Rules ruleId={ruleId} query={parameters.get("query") ?? ""} />}
        </>
      )}
    </>
  );
}

function Rules({ ruleId, query }: { ruleId: string | null; query: string }) {
  const [, navigate] = useLocation();
  const all = useRules();
  const { list, rules, error, message, deleted } = all;
  if (list.phase === "failed") {
    if (isProductSearchError(list.error) && list.error.code === "forbidden")
      return <ScopeNotice what="Merchandising" />;
    return <ErrorNotice error={list.error} onRetry={list.retry} />;
  }
  if (!rules) return <PanelSkeleton />;
  const finish = () => {
    list.retry();
    navigate(rulesPath);
  };
  if (ruleId === "new")
    return <RuleEditor key={query} initial={{ ...emptyDraft, query }} onSaved={finish} onCancel={finish} />;
  if (ruleId !== null) return <OpenRule rule={rules.find(({ id }) => id === ruleId)} onDone={finish} />;
  return (
    <section className="stack" aria-labelledby="rules-title">
      <h2 id="rules-title" className="visually-hidden">
        Rules
      </h2>
      {error !== undefined && <ErrorNotice error={error} onRetry={list.retry} />}
      <div className="row spread">
        <Link href={newRulePath()} className="button">
          New rule
        </Link>
        <p role="status" className="list-message row">
          {deleted ? `“${deleted.rule.name}” is deleted.` : message}
          {deleted && (
            <button type="button" className="small" onClick={() => all.undo(deleted)}>
              Undo
            </button>
          )}
        </p>
      </div>
      <DeveloperPanel
        requests={[
          { title: "List the rules", method: "GET", path: "/rules", needsToken: true, call: "listRules()" },
          {
            title: "List the synonyms",
            method: "GET",
            path: "/synonyms",
            query: { origin: "added" },
            needsToken: true,
            call: 'listSynonyms({ origin: "added" })',
          },
        ]}
      />
      {rules.length === 0 ? (
        <NoRules />
      ) : (
        <RuleList rules={rules} onMove={all.move} onEnable={all.setEnabled} onDelete={all.remove} />
      )}
    </section>
  );
}

function OpenRule({ rule, onDone }: { rule: Rule | undefined; onDone: () => void }) {
  if (rule)
    return (
      <RuleEditor
        key={rule.updatedAt}
        rule={rule}
        initial={toDraft(rule)}
        onSaved={onDone}
        onCancel={onDone}
      />
    );
  return (
    <EmptyNotice title="This rule does not exist">
      <p>
        Somebody may have deleted it. See <Link href={rulesPath}>all rules</Link>.
      </p>
    </EmptyNotice>
  );
}

const maxExamples = 3;

/** Invites with what the catalog has. */
function NoRules() {
  const { categories } = useCatalogValues();
  return (
    <EmptyNotice title="No rules yet">
      <p>
        A rule acts on one search text or category: it pins products, hides some, raises or lowers brands,
        searches for another text, or opens a page. Begin with a search that matters to you:
      </p>
      <ul className="chips example-chips">
        {categories.slice(0, maxExamples).map(({ value }) => (
          <li key={value}>
            <Link className="chip" href={newRulePath(value.toLowerCase())}>
              {value.toLowerCase()}
            </Link>
          </li>
        ))}
      </ul>
    </EmptyNotice>
  );
}
