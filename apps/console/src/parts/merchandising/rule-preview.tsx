import type { PreviewRuleRequest, PreviewRuleResponse, Product } from "@product-search/client";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import {
  hasCondition,
  type RuleDraft,
  toRequest,
  withHidden,
  withPin,
} from "../../service/merchandising/rule-draft.ts";
import { rememberProducts } from "../../service/merchandising/use-product-by-id.ts";
import { useService } from "../../service/service-context.tsx";
import { useRequest } from "../../service/use-request.ts";
import { DeveloperPanel } from "../developer-panel.tsx";
import { ErrorNotice } from "../notice.tsx";
import { ProductLine } from "./product-line.tsx";

const pauseMs = 300;
const maxProducts = 15;

interface RulePreviewProps {
  draft: RuleDraft;
  ruleId: string | undefined;
  onChange: (part: Partial<RuleDraft>) => void;
  /** Only the products with the rule: beside those without it. */
  isBeside?: boolean;
}

/** The first products of a search without and with the rule as it is in the form. Nothing is stored. */
export function RulePreview({ draft, ruleId, onChange, isBeside = false }: RulePreviewProps) {
  const id = useId();
  const { client } = useService();
  const [ownText, setOwnText] = useState<string>();
  const text = ownText ?? draft.query;
  const body = toBody(draft, ruleId, text.trim());
  const preview = useRequest(
    body && JSON.stringify(body),
    async (signal) => {
      if (!body) throw new Error("Nothing to preview.");
      const response = await client.previewRule(body, { signal });
      rememberProducts([...response.before, ...response.after]);
      return response;
    },
    pauseMs,
  );
  return (
    <section id="rule-preview" className="rule-preview" aria-labelledby={`${id}-title`}>
      <div className="row spread">
        <h2 id={`${id}-title`}>Preview</h2>
        {!isBeside && (
          <span className="row nowrap">
            <label htmlFor={`${id}-text`} className="small-text">
              Search for
            </label>
            <input
              id={`${id}-text`}
              type="search"
              value={text}
              maxLength={512}
              onChange={(event) => setOwnText(event.target.value)}
            />
          </span>
        )}
      </div>
      {body === undefined && (
        <p className="muted">Say when the rule applies: the products before and after it appear here.</p>
      )}
      {body && preview.phase === "failed" && <ErrorNotice error={preview.error} onRetry={preview.retry} />}
      {body && preview.response && (
        <>
          <p className="muted small-text" role="status">
            {effectText(draft, preview.response)}
          </p>
          <Comparison
            titleBefore={isBeside ? undefined : ruleId === undefined ? "Before" : "As saved"}
            draft={draft}
            {...preview.response}
            onChange={onChange}
          />
        </>
      )}
      {body && preview.phase === "loading" && !preview.response && <p className="muted">Searching…</p>}
      {body && (
        <DeveloperPanel
          requests={[
            {
              title: "Preview",
              method: "POST",
              path: "/rules/preview",
              body,
              needsToken: true,
              call: `previewRule(${JSON.stringify(body)})`,
            },
          ]}
        />
      )}
    </section>
  );
}

/** Undefined while the form has nothing that can be searched for. A rule for categories acts on a search that is filtered by one. */
function toBody(draft: RuleDraft, ruleId: string | undefined, q: string): PreviewRuleRequest | undefined {
  const category = draft.categories[0];
  if (!hasCondition(draft) || (q === "" && category === undefined)) return undefined;
  return {
    rule: toRequest({ ...draft, redirectUrl: isUrl(draft.redirectUrl) ? draft.redirectUrl : "" }),
    ...(ruleId !== undefined && { ruleId }),
    ...(q !== "" && { q }),
    ...(category !== undefined && { categories: [category] }),
    count: maxProducts,
  };
}

/** Half an address must not end the preview of everything else. */
function isUrl(text: string): boolean {
  return /^https?:\/\/[^\s/?#]+/.test(text.trim()) && URL.canParse(text.trim());
}

function effectText(draft: RuleDraft, { before, after }: PreviewRuleResponse): string {
  const isSame =
    before.length === after.length && before.every(({ _id }, index) => _id === after[index]?._id);
  const effect = isSame
    ? `No difference in the first ${maxProducts} products.`
    : `The first ${maxProducts} products of this search.`;
  return draft.redirectUrl.trim() === "" ? effect : `${effect} The shop opens ${draft.redirectUrl.trim()}.`;
}

interface ComparisonProps {
  /** Without it, only the products after the change are shown. */
  titleBefore: string | undefined;
  draft: RuleDraft;
  before: readonly Product[];
  after: readonly Product[];
  onChange: (part: Partial<RuleDraft>) => void;
}

function Comparison({ titleBefore, draft, before, after, onChange }: ComparisonProps) {
  const pinned = new Set(draft.pin.map(({ productId }) => productId));
  const placesBefore = new Map(before.map(({ _id }, index) => [_id, index]));
  const kept = new Set(after.map(({ _id }) => _id));
  return (
    <div className={titleBefore === undefined ? "before-after alone" : "before-after"}>
      {titleBefore !== undefined && (
        <ProductColumn title={titleBefore} products={before}>
          {({ _id, name }) => ({
            isGone: !kept.has(_id),
            tag: draft.hide.includes(_id) ? "hidden" : "",
            tools: draft.hide.includes(_id) && (
              <SmallButton
                text="Unhide"
                name={name}
                onPress={() => onChange({ hide: draft.hide.filter((one) => one !== _id) })}
              />
            ),
          })}
        </ProductColumn>
      )}
      <ProductColumn title="After" products={after}>
        {({ _id, name }, index) => ({
          isGone: false,
          tag: pinned.has(_id) ? "pinned" : moveText(placesBefore.get(_id), index),
          tools: (
            <>
              {pinned.has(_id) ? (
                <SmallButton
                  text="Unpin"
                  name={name}
                  onPress={() => onChange({ pin: draft.pin.filter((one) => one.productId !== _id) })}
                />
              ) : (
                <SmallButton
                  text="Pin"
                  name={name}
                  onPress={() => onChange(withPin(draft, _id, index + 1))}
                />
              )}
              {index > 0 && (
                <SmallButton text="Up" name={name} onPress={() => onChange(withPin(draft, _id, index))} />
              )}
              <SmallButton text="Hide" name={name} onPress={() => onChange(withHidden(draft, _id))} />
            </>
          ),
        })}
      </ProductColumn>
    </div>
  );
}

export function SmallButton({ text, name, onPress }: { text: string; name: string; onPress: () => void }) {
  return (
    <button type="button" className="text-button bare" onClick={onPress}>
      {text}
      <span className="visually-hidden"> {name}</span>
    </button>
  );
}

function moveText(from: number | undefined, to: number): string {
  if (from === undefined) return "new";
  if (from === to) return "";
  return from > to ? `up ${from - to}` : `down ${to - from}`;
}

interface ProductColumnProps {
  title: string;
  products: readonly Product[];
  children: (product: Product, index: number) => { isGone: boolean; tag: string; tools?: ReactNode };
}

function ProductColumn({ title, products, children }: ProductColumnProps) {
  const id = useId();
  return (
    <div>
      <h3 id={id}>{title}</h3>
      {products.length === 0 && <p className="muted small-text">No products</p>}
      <ol aria-labelledby={id}>
        {products.map((product, index) => {
          const { isGone, tag, tools } = children(product, index);
          return (
            <li key={product._id} className={isGone ? "gone" : undefined}>
              <span className="place">{index + 1}</span>
              <ProductLine product={product}>
                {(tag !== "" || tools) && (
                  <span className="line-end row">
                    {tag !== "" && <span className="tag">{tag}</span>}
                    {tools}
                  </span>
                )}
              </ProductLine>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
