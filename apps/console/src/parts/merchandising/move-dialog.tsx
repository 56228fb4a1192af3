import { useEffect, useId, useRef, useState } from "react";

interface MoveDialogProps {
  name: string;
  /** From 0. */
  place: number;
  count: number;
  onMove: (to: number) => void;
  onClose: () => void;
}

/** Asks for a position: the way over long distances, and for who neither drags nor presses keys many times. */
export function MoveDialog({ name, place, count, onMove, onClose }: MoveDialogProps) {
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
