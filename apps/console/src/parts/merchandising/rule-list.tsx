import type { Rule } from "@product-search/client";
import {
  memo,
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { Link } from "wouter";
import { formatCount } from "../../service/format.ts";
import {
  actionTexts,
  conditionText,
  formatTime,
  type RuleState,
  stateOf,
} from "../../service/merchandising/rule-text.ts";
import { useStable } from "../../service/use-request.ts";
import { DeleteButton } from "../copy-button.tsx";
import { Icon } from "../elements.tsx";
import { rulePath } from "./product-line.tsx";

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
  onGrab: (event: ReactPointerEvent, rule: Rule, place: number) => void;
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

/** Less is a click by a hand that is not quite still. */
const minDistancePx = 5;
/** Near the edges of the view the page scrolls. */
const edgePx = 90;
const maxScrollPx = 18;

interface Drag {
  id: string;
  from: number;
  /** The row below the pointer, and on which half of it the pointer is. */
  over?: { place: number; isAfter: boolean };
}

/**
 * Moves a row by a pointer: mouse, pen and finger alike, which the browser's own dragging does not. `onDrop` gets the place
 * among the others.
 */
function useRuleDrag(list: RefObject<HTMLOListElement | null>, onDrop: (id: string, to: number) => void) {
  const [drag, setDrag] = useState<Drag>();
  const drop = useStable(onDrop);

  const onGrab = useCallback(
    (event: ReactPointerEvent, rule: Rule, place: number) => {
      const handle = event.currentTarget;
      if (event.button !== 0 || !(handle instanceof HTMLElement)) return;
      const startY = event.clientY;
      let current: Drag | undefined;
      let clientY = startY;
      let frame = 0;
      const look = () => {
        const over = rowAt(list.current, clientY);
        current = { id: rule.id, from: place, ...(over && { over }) };
        setDrag(current);
      };
      const scroll = () => {
        const step = scrollStep(clientY);
        if (step !== 0) {
          scrollBy(0, step);
          look();
        }
        frame = requestAnimationFrame(scroll);
      };
      const onMove = (moved: PointerEvent) => {
        clientY = moved.clientY;
        if (!current) {
          if (Math.abs(clientY - startY) < minDistancePx) return;
          frame = requestAnimationFrame(scroll);
        }
        look();
      };
      const stop = () => {
        cancelAnimationFrame(frame);
        handle.removeEventListener("pointermove", onMove);
        handle.removeEventListener("pointerup", onUp);
        handle.removeEventListener("pointercancel", stop);
        removeEventListener("keydown", onKey, true);
        if (current) handle.addEventListener("click", swallow, { capture: true, once: true });
        setDrag(undefined);
      };
      const onUp = () => {
        const { over } = current ?? {};
        stop();
        // The click of a drag comes at once or not at all.
        setTimeout(() => handle.removeEventListener("click", swallow, { capture: true }));
        if (over) drop(rule.id, placeAfterDrop(place, over));
      };
      const onKey = (pressed: KeyboardEvent) => {
        if (pressed.key === "Escape") stop();
      };
      handle.setPointerCapture(event.pointerId);
      handle.addEventListener("pointermove", onMove);
      handle.addEventListener("pointerup", onUp);
      handle.addEventListener("pointercancel", stop);
      addEventListener("keydown", onKey, true);
    },
    [list, drop],
  );

  const markOf = (place: number) => {
    if (drag?.over?.place !== place || place === drag.from) return undefined;
    return drag.over.isAfter ? "after" : "before";
  };
  return { onGrab, markOf, draggedId: drag?.id };
}

function swallow(event: Event): void {
  event.preventDefault();
  event.stopPropagation();
}

/** Rows that a filter leaves out have no place on the screen: the place is that of the whole list. */
function placeAfterDrop(from: number, { place, isAfter }: { place: number; isAfter: boolean }): number {
  const target = place + (isAfter ? 1 : 0);
  return target > from ? target - 1 : target;
}

function rowAt(list: HTMLOListElement | null, clientY: number): Drag["over"] {
  if (!list) return undefined;
  const { left, width, top, bottom } = list.getBoundingClientRect();
  const y = Math.max(top + 1, Math.min(bottom - 1, clientY));
  const row = document.elementsFromPoint(left + width / 2, y).find((one) => one.matches("[data-place]"));
  if (!(row instanceof HTMLElement)) return undefined;
  const box = row.getBoundingClientRect();
  return { place: Number(row.dataset.place), isAfter: y > box.top + box.height / 2 };
}

function scrollStep(clientY: number): number {
  if (clientY < edgePx) return -Math.ceil(((edgePx - clientY) / edgePx) * maxScrollPx);
  const fromBottom = innerHeight - clientY;
  return fromBottom < edgePx ? Math.ceil(((edgePx - fromBottom) / edgePx) * maxScrollPx) : 0;
}
