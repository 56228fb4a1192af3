import { Link } from "wouter";
import { EmptyNotice } from "../parts/notice.tsx";
import { usePageTitle } from "../service/use-page-title.ts";

export function NotFoundScreen() {
  usePageTitle("No such page");
  return (
    <EmptyNotice level={1} title="There is no such page">
      <p>
        <Link href="/">Search the catalog</Link> instead.
      </p>
    </EmptyNotice>
  );
}
