import { Component, lazy, type ReactNode, Suspense } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { DeveloperPanel } from "./parts/developer-panel.tsx";
import { EmptyNotice, ErrorNotice } from "./parts/notice.tsx";
import { ProductCard } from "./parts/product/product-card.tsx";
import { ProductGrid, ProductGridSkeleton } from "./parts/product/product-grid.tsx";
import { Shell } from "./parts/shell/shell.tsx";
import { BrandSearch } from "./screens/brand-search.tsx";
import { SearchScreen } from "./screens/search.tsx";
import { letterOf, marketplaces } from "./service/marketplaces.ts";
import { type Person, ServiceProvider, useService } from "./service/service-context.tsx";
import { usePageTitle } from "./service/use-page-title.ts";
import { useRequest } from "./service/use-request.ts";
import { SigningKeysProvider } from "./service/webhooks/signing-keys.tsx";

/** A screen that cannot be loaded or drawn takes nothing else with it: the way to the other screens stays. */
class ScreenBoundary extends Component<{ place: string; children: ReactNode }, State> {
  override state: State = { failed: false };

  override componentDidUpdate(before: { place: string }): void {
    if (this.state.failed && before.place !== this.props.place) this.setState({ failed: false });
  }

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="notice panel error" role="alert">
        <h1>The page could not be loaded</h1>
        <p>A file could not be loaded. Check the network connection.</p>
        <button type="button" className="primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
}

// The first view is the search; the other screens come when they are opened.
const DeepSearchScreen = lazy(() =>
  import("./screens/deep-search.tsx").then((m) => ({ default: m.DeepSearchScreen })),
);
const ImageScreen = lazy(() => import("./screens/image.tsx").then((m) => ({ default: m.ImageScreen })));
const InsightsScreen = lazy(() =>
  import("./screens/insights.tsx").then((m) => ({ default: m.InsightsScreen })),
);
const MarketplaceScreen = lazy(() =>
  import("./screens/marketplace.tsx").then((m) => ({ default: m.MarketplaceScreen })),
);
const MerchandisingScreen = lazy(() =>
  import("./screens/merchandising.tsx").then((m) => ({ default: m.MerchandisingScreen })),
);
const MockScreen = lazy(() => import("./screens/mock.tsx").then((m) => ({ default: m.MockScreen })));
const ProductScreen = lazy(() => import("./screens/product.tsx").then((m) => ({ default: m.ProductScreen })));
const WebhooksScreen = lazy(() =>
  import("./screens/webhooks.tsx").then((m) => ({ default: m.WebhooksScreen })),
);

export function App({ person }: { person: Person | undefined }) {
  return (
    <ServiceProvider person={person}>
      <SigningKeysProvider>
        <Shell>
          <Screens />
        </Shell>
      </SigningKeysProvider>
    </ServiceProvider>
  );
}

function Screens() {
  const [location] = useLocation();
  return (
    <ScreenBoundary place={location}>
      <Suspense>
        <Switch>
          <Route path="/" component={SearchScreen} />
          <Route path="/ask" component={DeepSearchScreen} />
          <Route path="/picture" component={ImageScreen} />
          <Route path="/marketplaces" component={MarketplaceScreen} />
          <Route path="/insights" component={InsightsScreen} />
          <Route path="/merchandising" component={MerchandisingScreen} />
          <Route path="/webhooks" component={WebhooksScreen} />
          <Route path="/mock" component={MockScreen} />
          <Route path="/brands/:name">{({ name }) => <BrandScreen key={name} name={name} />}</Route>
          <Route path="/product">{() => <ProductScreen slug="" />}</Route>
          <Route path="/products/:slug">{({ slug }) => <ProductScreen slug={slug} />}</Route>
          <Route component={NotFoundScreen} />
        </Switch>
      </Suspense>
    </ScreenBoundary>
  );
}

interface State {
  failed: boolean;
}

function NotFoundScreen() {
  usePageTitle("Page not found");
  return (
    <EmptyNotice level={1} title="Page not found">
      <p>
        Go to <Link href="/">catalog search</Link>.
      </p>
    </EmptyNotice>
  );
}

/** The page behind `serviceBrandPageUrl`: the brand's best products. */
function BrandScreen({ name }: { name: string }) {
  const { client, token } = useService();
  const search = useRequest(name, (signal) =>
    client.searchTrial({ q: name.slice(0, 512), literal: true }, { signal }),
  );
  usePageTitle(name);
  const products =
    search.response?.Products.filter(({ brand }) => brand?.toLowerCase() === name.toLowerCase()) ?? [];
  return (
    <>
      <section className="hero">
        <h1>{name}</h1>
        <ul className="chips">
          {token && (
            <li>
              <Link className="chip" href={`/?${new URLSearchParams({ brands: name })}`}>
                All in the catalog
              </Link>
            </li>
          )}
          {marketplaces.map((one) => (
            <li key={one}>
              <Link className="chip" href={`/marketplaces?${new URLSearchParams({ q: name, from: one })}`}>
                On marketplace {letterOf(one)}
              </Link>
            </li>
          ))}
        </ul>
        <BrandSearch />
      </section>
      <h2 className="visually-hidden">Products</h2>
      {search.phase === "failed" && <ErrorNotice error={search.error} onRetry={search.retry} />}
      {search.phase === "loading" && <ProductGridSkeleton />}
      {search.phase === "done" && products.length === 0 && (
        <EmptyNotice title="The catalog has no products of this brand">
          <p>Search the marketplaces instead.</p>
        </EmptyNotice>
      )}
      {products.length > 0 && (
        <ProductGrid>
          {products.map((product) => (
            <ProductCard key={product._id} product={product} />
          ))}
        </ProductGrid>
      )}
      {(search.phase === "done" || search.phase === "failed") && (
        <DeveloperPanel
          requests={[
            {
              title: "Best products of the brand",
              method: "GET",
              path: "/search/trial",
              query: { q: name, literal: true },
              needsToken: false,
              call: `searchTrial(${JSON.stringify({ q: name, literal: true })})`,
            },
          ]}
        />
      )}
    </>
  );
}
