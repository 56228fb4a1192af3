import type { ReactNode } from "react";

/** Leads to `docs/operate.md`, which is built into the page: what whoever runs the service needs to know. */
export function OperatorLink({ children }: { children: ReactNode }) {
  return (
    <a href="/operate.md" target="_blank" rel="noreferrer">
      {children}
    </a>
  );
}
