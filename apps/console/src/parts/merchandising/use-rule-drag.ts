import type { Rule } from "@product-search/client";
import { type PointerEvent as ReactPointerEvent, type RefObject, useCallback, useState } from "react";
import { useStable } from "../../service/use-request.ts";

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
export function useRuleDrag(
  list: RefObject<HTMLOListElement | null>,
  onDrop: (id: string, to: number) => void,
) {
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
