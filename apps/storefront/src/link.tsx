import type { MouseEvent, ReactNode } from "react";
import { goTo, hrefOf } from "./shop.ts";

interface LinkProps {
  /** Under /shop. */
  href: string;
  className?: string;
  isCurrent?: boolean;
  onFollow?: () => void;
  children: ReactNode;
}

/** A link to another page of the shop. With a modifier key it is an ordinary link. */
export function Link({ href, className, isCurrent, onFollow, children }: LinkProps) {
  const target = hrefOf(href);
  const follow = (event: MouseEvent) => {
    onFollow?.();
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    goTo(target);
  };
  return (
    <a href={target} className={className} aria-current={isCurrent ? "page" : undefined} onClick={follow}>
      {children}
    </a>
  );
}
