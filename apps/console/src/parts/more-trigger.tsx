import { useEffect, useRef } from "react";

/** Asks for the next page when it comes near, and can be pressed as well. */
export function MoreTrigger({ onSeen }: { onSeen: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some((entry) => entry.isIntersecting) && onSeen(),
      {
        rootMargin: "400px",
      },
    );
    if (button.current) observer.observe(button.current);
    return () => observer.disconnect();
  }, [onSeen]);
  return (
    <button type="button" ref={button} className="center" onClick={onSeen}>
      Show more
    </button>
  );
}
