import { type InstantSearchServerState, InstantSearchSSRProvider } from "react-instantsearch";
import { Link } from "./link.tsx";
import { AskPage } from "./pages/ask-page.tsx";
import { PicturePage } from "./pages/picture-page.tsx";
import { ProductPage } from "./pages/product-page.tsx";
import { SearchPage, type SearchPageProps } from "./pages/search-page.tsx";
import { shop, usePath } from "./shop.ts";

interface ShopProps extends SearchPageProps {
  /** The results that the server has rendered. */
  serverState?: InstantSearchServerState | undefined;
}

export function Shop({ serverState, ...props }: ShopProps) {
  const path = usePath(props.url);
  return (
    <InstantSearchSSRProvider {...serverState}>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <Link href="" className="name">
          Shop
        </Link>
        <nav aria-label="Ways to search">
          <Link href="" isCurrent={path === ""}>
            Search
          </Link>
          <Link href="/picture" isCurrent={path === "/picture"}>
            By picture
          </Link>
          <Link href="/ask" isCurrent={path === "/ask"}>
            Ask
          </Link>
        </nav>
      </header>
      <main id="main">{shop.hasToken ? <Page path={path} {...props} /> : <NoToken />}</main>
    </InstantSearchSSRProvider>
  );
}

function Page({ path, ...props }: SearchPageProps & { path: string }) {
  const [, productId] = /^\/products\/(.+)$/.exec(path) ?? [];
  if (productId !== undefined) return <ProductPage key={productId} id={decodeURIComponent(productId)} />;
  if (path === "/picture") return <PicturePage />;
  if (path === "/ask") return <AskPage />;
  if (path === "") return <SearchPage {...props} />;
  return (
    <section className="empty">
      <h1>This page does not exist</h1>
      <p>
        <Link href="">Search all products</Link>
      </p>
    </section>
  );
}

function NoToken() {
  return (
    <section className="empty">
      <h1>The shop needs a public token</h1>
      <p>
        <code>token create --account shop --public</code> makes one. Set it as <code>SHOP_TOKEN</code> and
        start the service again. In your own copy of this page, it stands in the <code>meta</code> element{" "}
        <code>shop-token</code>.
      </p>
    </section>
  );
}
