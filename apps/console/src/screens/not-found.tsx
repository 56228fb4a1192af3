import { Link } from "wouter";
import { EmptyNotice } from "../parts/notice.tsx";
import { usePageTitle } from "../service/use-page-title.ts";

export function NotFoundScreen() {
  usePageTitle("Page not found");
  return (
    <EmptyNotice level={1} title="Page not found">
      <p>
        Go to <Link href="/">catalog search</Link>.
      </p>
    </EmptyNotice>
  );
}
