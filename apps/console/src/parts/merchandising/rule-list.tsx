import type { Rule } from "@product-search/client";
import {
  memo,
  type PointerEvent,
  useDeferredValue,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Link } from "wouter";
import {
  actionTexts,
  conditionText,
  formatTime,
  type RuleState,
  stateOf,
} from "../../service/merchandising/rule-text.ts";
import { formatCount } from "../../service/money.ts";
import { useStable } from "../../service/use-request.ts";
import { DeleteButton } from "../copy-button.tsx";
import { Icon } from "../icon.tsx";
import { rulePath } from "./product-line.tsx";
import { useRuleDrag } from "./use-rule-drag.ts";

const handleId = (id: string) => `move-${id}`;

/** Whoever comes back from a rule is where they were in a long list; while this page is open. */
const lastLook = { filter: "", openedId: "" };

interface RuleListProps {
  rules: readonly Rule[];
  onMove: (id: string, to: number) => void;
  onEnable: (rule: Rule, enabled: boolean) => void;
  onDelete: (rule: Rule) => void;
}

/** The rules in the order in which they apply. A handle moves one: by dragging, by the arrow keys, or to a number. */
export function RuleList({ rules, onMove, onEnable, onDelete }: RuleListProps) {
  const id = useId();
  const [filter, setFilter] = useState(lastLook.filter);
  const shownFilter = useDeferredValue(filter);
  const [asking, setAsking] = useState<{ rule: Rule; place: number }>();
  const [said, setSaid] = useState("");
  const list = useRef<HTMLOListElement>(null);
  const focused = useRef<string>(undefined);
  const move = useStable((ruleId: string, to: number) => {
    const place = Math.max(0, Math.min(rules.length - 1, to));
    focused.current = ruleId;
    onMove(ruleId, place);
    setSaid(`Position ${place + 1} of ${rules.length}`);
  });
  const drag = useRuleDrag(list, (ruleId, target) => move(ruleId, target));
  const ask = useStable((rule: Rule, place: number) => setAsking({ rule, place }));
  const enable = useStable(onEnable);
  const remove = useStable(onDelete);
  useEffect(() => {
    lastLook.filter = filter;
  }, [filter]);
  useEffect(() => {
    document.getElementById(handleId(lastLook.openedId))?.scrollIntoView({ block: "center" });
    lastLook.openedId = "";
  }, []);
  // A browser takes the focus from an element that is put elsewhere.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each change of the order.
  useLayoutEffect(() => {
    if (focused.current === undefined) return;
    const handle = document.getElementById(handleId(focused.current));
    handle?.focus();
    // An element that has the focus already is not scrolled to.
    handle?.scrollIntoView({ block: "nearest" });
    focused.current = undefined;
  }, [rules]);
  const places = [...rules.entries()].filter(([, rule]) => fits(rule, shownFilter));
  return (
    <>
      <div className="list-tools row">
        <label htmlFor={`${id}-filter`} className="visually-hidden">
          Find a rule
        </label>
        <input
          id={`${id}-filter`}
          type="search"
          placeholder="Find a rule: name, text, product"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
        <span className="muted small-text" role="status">
          {countText(places.length, rules.length)}
        </span>
      </div>
      <p id={`${id}-hint`} className="hint">
        The first rule wins. Drag a rule by its handle, or focus the handle and press the arrow keys; Enter
        asks for a position.
      </p>
      <p className="visually-hidden" aria-live="assertive">
        {said}
      </p>
      {places.length === 0 && <p className="muted">No rule fits “{shownFilter}”.</p>}
      <ol className="rules" ref={list}>
        {places.map(([place, rule]) => (
          <RuleRow
            key={rule.id}
            rule={rule}
            place={place}
            hintId={`${id}-hint`}
            mark={drag.markOf(place)}
            isDragged={drag.draggedId === rule.id}
            onGrab={drag.onGrab}
            onMove={move}
            onAsk={ask}
            onEnable={enable}
            onDelete={remove}
          />
        ))}
      </ol>
      {asking && (
        <MoveDialog
          name={asking.rule.name}
          place={asking.place}
          count={rules.length}
          onMove={(to) => move(asking.rule.id, to)}
          onClose={() => setAsking(undefined)}
        />
      )}
    </>
  );
}

function countText(shown: number, all: number): string {
  const total = `${formatCount(all)} ${all === 1 ? "rule" : "rules"}`;
  return shown === all ? total : `${formatCount(shown)} of ${total}`;
}

function fits(rule: Rule, filter: string): boolean {
  const text = filter.trim().toLowerCase();
  return text === "" || JSON.stringify(rule).toLowerCase().includes(text);
}

interface RuleRowProps {
  rule: Rule;
  place: number;
  hintId: string;
  /** Where the dragged rule would be put beside this one. */
  mark: "before" | "after" | undefined;
  isDragged: boolean;
  onGrab: (event: PointerEvent, rule: Rule, place: number) => void;
  onMove: (id: string, to: number) => void;
  onAsk: (rule: Rule, place: number) => void;
  onEnable: (rule: Rule, enabled: boolean) => void;
  onDelete: (rule: Rule) => void;
}

const RuleRow = memo(function RuleRow(props: RuleRowProps) {
  const { rule, place, hintId, mark, isDragged, onGrab, onMove, onAsk, onEnable, onDelete } = props;
  const state = stateOf(rule, Date.now());
  const actions = actionTexts(rule);
  const targets: Partial<Record<string, number>> = {
    ArrowUp: place - 1,
    ArrowDown: place + 1,
    Home: 0,
    End: Number.MAX_SAFE_INTEGER,
  };
  return (
    <li className="rule-row" data-place={place} data-mark={mark} data-dragged={isDragged || undefined}>
      <button
        id={handleId(rule.id)}
        type="button"
        className="handle"
        aria-label={`Move “${rule.name}”, position ${place + 1}`}
        aria-describedby={hintId}
        onPointerDown={(event) => onGrab(event, rule, place)}
        onClick={() => onAsk(rule, place)}
        onKeyDown={(event) => {
          const target = targets[event.key];
          if (target === undefined) return;
          event.preventDefault();
          onMove(rule.id, target);
        }}
      >
        <Icon name="handle" size={18} />
        <span>{place + 1}</span>
      </button>
      <div className="rule-words">
        <strong dir="auto">
          <Link
            href={rulePath(rule.id)}
            onClick={() => {
              lastLook.openedId = rule.id;
            }}
          >
            {rule.name}
          </Link>
        </strong>
        <span className="muted small-text">
          {conditionText(rule)} → {actions.length > 0 ? actions.join(", ") : "does nothing"}
        </span>
      </div>
      <div className="rule-end row">
        {stateText(state, rule) !== "" && <span className="tag">{stateText(state, rule)}</span>}
        <label className="switch">
          <input
            type="checkbox"
            checked={rule.enabled}
            aria-label={`“${rule.name}” is on`}
            onChange={(event) => onEnable(rule, event.target.checked)}
          />
          <span aria-hidden="true">{rule.enabled ? "On" : "Off"}</span>
        </label>
        <span className="row">
          <DeleteButton small what={`“${rule.name}”`} onConfirm={() => onDelete(rule)} />
        </span>
      </div>
    </li>
  );
});

function stateText(state: RuleState, { from, until }: Rule): string {
  if (state === "later" && from !== undefined) return `from ${formatTime(from)}`;
  return state === "over" && until !== undefined ? `ended ${formatTime(until)}` : "";
}

interface MoveDialogProps {
  name: string;
  /** From 0. */
  place: number;
  count: number;
  onMove: (to: number) => void;
  onClose: () => void;
}

/** Asks for a position: the way over long distances, and for who neither drags nor presses keys many times. */
function MoveDialog({ name, place, count, onMove, onClose }: MoveDialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [position, setPosition] = useState(String(place + 1));
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className="small-dialog" aria-labelledby={`${id}-title`} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          // First: nothing outside of an open dialog can take the focus.
          dialog.current?.close();
          onMove(Number(position) - 1);
        }}
      >
        <h2 id={`${id}-title`}>Move “{name}”</h2>
        <label htmlFor={`${id}-position`}>Position, 1 to {count}</label>
        <input
          id={`${id}-position`}
          type="number"
          min={1}
          max={count}
          required
          value={position}
          onChange={(event) => setPosition(event.target.value)}
          onFocus={(event) => event.target.select()}
        />
        <div className="row">
          <button type="submit" className="primary">
            Move
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
