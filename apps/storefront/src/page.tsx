import { type InstantSearchServerState, InstantSearchSSRProvider } from "react-instantsearch";
import { Link } from "./link.tsx";
import { AskPage } from "./pages/ask-page.tsx";
import { PicturePage } from "./pages/picture-page.tsx";
import { ProductPage, type ProductResult, productIn } from "./pages/product-page.tsx";
import { SearchPage, type SearchPageProps } from "./pages/search-page.tsx";
import { Empty } from "./parts/empty.tsx";
import { shop, usePath } from "./shop.ts";

/** What the server has rendered: results, or a product. */
export type ServerState = Partial<InstantSearchServerState> & { given?: ProductResult | undefined };

interface ShopProps extends SearchPageProps {
  serverState?: ServerState | undefined;
}

export function Shop({ serverState: { given, ...searchState } = {}, ...props }: ShopProps) {
  const path = usePath(props.url);
  return (
    <InstantSearchSSRProvider {...searchState}>
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
      <main id="main">{shop.hasToken ? <Page path={path} given={given} {...props} /> : <NoToken />}</main>
    </InstantSearchSSRProvider>
  );
}

interface PageProps extends SearchPageProps {
  path: string;
  given: ProductResult | undefined;
}

function Page({ path, given, ...props }: PageProps) {
  const productId = productIn(path);
  if (productId !== undefined)
    return <ProductPage key={productId} id={productId} given={given?.id === productId ? given : undefined} />;
  if (path === "/picture") return <PicturePage />;
  if (path === "/ask") return <AskPage />;
  if (path === "") return <SearchPage {...props} />;
  return <Empty title="This page does not exist" text="" />;
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
