import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { formatCount } from "../../service/money.ts";

interface FacetSheetProps {
  /** How many filters are on. */
  active: number;
  results: number | undefined;
  children: ReactNode;
}

/** On a phone the filters open over the page, from below. */
export function FacetSheet({ active, results, children }: FacetSheetProps) {
  const titleId = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
  }, [isOpen]);
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Filters{active > 0 && ` (${active})`}
      </button>
      {isOpen && (
        <dialog ref={dialog} className="sheet" aria-labelledby={titleId} onClose={() => setOpen(false)}>
          <h2 id={titleId}>Filters</h2>
          <div className="sheet-body">{children}</div>
          <button type="button" className="primary" onClick={() => dialog.current?.close()}>
            {results === undefined
              ? "Show results"
              : `Show ${formatCount(results)} ${results === 1 ? "product" : "products"}`}
          </button>
        </dialog>
      )}
    </>
  );
}
