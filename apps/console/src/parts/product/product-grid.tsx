import type { ReactNode } from "react";

export function ProductGrid({ busy = false, children }: { busy?: boolean; children: ReactNode }) {
  return (
    <div className="grid" aria-busy={busy}>
      {children}
    </div>
  );
}

/** The room that results will take, so that nothing jumps when they come. */
export function ProductGridSkeleton({ count = 5 }: { count?: number }) {
  return (
    <div className="grid" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have nothing but their place.
        <div key={index} className="card skeleton" aria-hidden="true">
          <div className="product-image" />
          <div className="card-text">
            <div className="bar" />
            <div className="bar short" />
            <div className="bar shorter" />
          </div>
        </div>
      ))}
    </div>
  );
}
