import { Link } from "../link.tsx";
import { useTitle } from "../shop.ts";

/** In place of a page that cannot be shown. */
export function Empty({ title, text }: { title: string; text: string }) {
  useTitle(title);
  return (
    <section className="empty" role="alert">
      <h1>{title}</h1>
      <p>
        {text} <Link href="">Search all products</Link>
      </p>
    </section>
  );
}
