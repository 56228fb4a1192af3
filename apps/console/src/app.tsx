import { Component, lazy, type ReactNode, Suspense } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { EmptyNotice } from "./parts/notice.tsx";
import { Shell } from "./parts/shell/shell.tsx";
import { SearchScreen } from "./screens/search.tsx";
import { type Person, ServiceProvider } from "./service/service-context.tsx";
import { usePageTitle } from "./service/use-page-title.ts";
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
const BrandScreen = lazy(() => import("./screens/brand.tsx").then((m) => ({ default: m.BrandScreen })));
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
