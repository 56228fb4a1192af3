import { useState } from "react";
import { Icon } from "../icon.tsx";

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
