import { type ReactNode, useState } from "react";
import { Icon } from "../elements.tsx";

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
        <div key={index} className="card panel skeleton" aria-hidden="true">
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

/** An image with its room kept free, and a quiet placeholder when it does not come. */
export function ProductImage({ src, alt = "" }: { src: string | undefined; alt?: string }) {
  const [failed, setFailed] = useState(false);
  const safe = src !== undefined && /^https?:\/\//i.test(src) ? src : undefined;
  return (
    <div className="product-image">
      {safe && !failed ? (
        <img src={safe} alt={alt} loading="lazy" decoding="async" onError={() => setFailed(true)} />
      ) : (
        <Icon name="image" size={32} />
      )}
    </div>
  );
}

/** Stars as text for eyes, words for everybody else. */
export function Rating({ value, count }: { value: number; count?: number }) {
  const rounded = Math.round(value * 10) / 10;
  return (
    <span className="rating">
      <span aria-hidden="true">★ {rounded.toFixed(1)}</span>
      <span className="visually-hidden">Rated {rounded} out of 5</span>
      {count !== undefined && count > 0 && <span className="muted"> ({count})</span>}
    </span>
  );
}
