import { isProductSearchError, type Product } from "@product-search/client";
import { useId, useState } from "react";
import { Link } from "wouter";
import { type Change, keyOf, withChange, withoutChange } from "../../service/merchandising/changes.ts";
import { withHidden, withPin } from "../../service/merchandising/rule-draft.ts";
import type { Desk } from "../../service/merchandising/use-desk.ts";
import { useDraft } from "../../service/merchandising/use-draft.ts";
import { ErrorNotice } from "../notice.tsx";
import { draftPath, ScopeNotice } from "./product-line.tsx";
import { RulePreview, SmallButton } from "./rule-preview.tsx";
import { storedRule } from "./synonym-list.tsx";

interface CardToolsProps {
  desk: Desk;
  product: Product;
  /** From 1, among all results. */
  position: number;
}

export function CardTools({ desk: { rule, change }, product: { _id, name }, position }: CardToolsProps) {
  const pin = rule.pin.find((one) => one.productId === _id);
  const isHidden = rule.hide.includes(_id);
  return (
    <p className="line-end row above">
      {isHidden && <span className="tag">hidden</span>}
      {pin && <span className="tag">position {pin.position}</span>}
      {isHidden ? (
        <SmallButton
          text="Unhide"
          name={name}
          onPress={() => change({ hide: rule.hide.filter((id) => id !== _id) })}
        />
      ) : (
        <>
          {pin ? (
            <SmallButton
              text="Unpin"
              name={name}
              onPress={() => change({ pin: rule.pin.filter((one) => one !== pin) })}
            />
          ) : (
            <SmallButton text="Pin here" name={name} onPress={() => change(withPin(rule, _id, position))} />
          )}
          {(pin?.position ?? position) > 1 && (
            <SmallButton
              text="Up"
              name={name}
              onPress={() => change(withPin(rule, _id, (pin?.position ?? position) - 1))}
            />
          )}
          <SmallButton text="Hide" name={name} onPress={() => change(withHidden(rule, _id))} />
        </>
      )}
    </p>
  );
}

/** Beside the results as they are: as they would be, and what else can be done about this search. */
export function DeskPanel({ desk, q, isEmpty }: { desk: Desk; q: string; isEmpty: boolean }) {
  const [{ changes }] = useDraft();
  const { list, rule, ruleId, change } = desk;
  if (list.phase === "failed") {
    if (isProductSearchError(list.error) && list.error.code === "forbidden")
      return <ScopeNotice what="Merchandising" />;
    return <ErrorNotice error={list.error} onRetry={list.retry} />;
  }
  // Of words that find something, a synonym only adds to the products.
  const meaning = isEmpty && rule.replaceQuery === "" ? synonymsOf(changes, q).at(-1)?.meaning : undefined;
  const count = changes.length === 1 ? "1 change" : `${changes.length} changes`;
  return (
    <div className="stack">
      <p className="list-message row spread" role="status">
        <span>{changes.length === 0 ? "Your draft is empty." : `${count} in your draft.`}</span>
        {changes.length > 0 && <Link href={draftPath}>Review and publish</Link>}
      </p>
      {q.trim() !== "" && <DeskSynonym key={q} q={q.trim()} />}
      {meaning !== undefined && (
        <p className="hint">
          With the synonym, “{q.trim()}” finds what “{meaning}” finds.
        </p>
      )}
      <RulePreview
        draft={meaning === undefined ? rule : { ...rule, replaceQuery: meaning }}
        ruleId={ruleId}
        onChange={change}
        isBeside
      />
    </div>
  );
}

function startOf(q: string): string {
  return `${q.trim().toLowerCase()} => `;
}

/** What the draft says that a text means as well. */
function synonymsOf(changes: readonly Change[], q: string): { change: Change; meaning: string }[] {
  return changes.flatMap((change) =>
    change.kind === "synonym" && !change.isRemoved && change.rule.startsWith(startOf(q))
      ? [{ change, meaning: change.rule.slice(startOf(q).length) }]
      : [],
  );
}

/** Other words for what is searched for. */
function DeskSynonym({ q }: { q: string }) {
  const id = useId();
  const [{ changes }, changeDraft] = useDraft();
  const [text, setText] = useState("");
  return (
    <form
      className="stack small-gap"
      onSubmit={(event) => {
        event.preventDefault();
        const rule = storedRule(`${startOf(q)}${text.trim().toLowerCase()}`);
        changeDraft(({ changes: all, ...rest }) => ({
          ...rest,
          changes: withChange(all, { kind: "synonym", rule }),
        }));
        setText("");
      }}
    >
      <label htmlFor={id}>“{q}” also finds</label>
      <div className="row nowrap">
        <input
          id={id}
          className="wide"
          value={text}
          required
          maxLength={200}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit">Add</button>
      </div>
      <ul>
        {synonymsOf(changes, q).map(({ change, meaning }) => (
          <li key={keyOf(change)} className="row spread">
            <span dir="auto">{meaning}</span>
            <SmallButton
              text="Remove"
              name={meaning}
              onPress={() =>
                changeDraft(({ changes: all, ...rest }) => ({
                  ...rest,
                  changes: withoutChange(all, keyOf(change)),
                }))
              }
            />
          </li>
        ))}
      </ul>
    </form>
  );
}
