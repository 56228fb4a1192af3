import { Link } from "wouter";
import { EmptyNotice } from "../parts/notice.tsx";

export function NotFoundScreen() {
  return (
    <EmptyNotice level={1} title="There is no such page">
      <p>
        <Link href="/">Search the catalog</Link> instead.
      </p>
    </EmptyNotice>
  );
}
