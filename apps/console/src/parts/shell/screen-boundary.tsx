import { Component, type ReactNode } from "react";

interface State {
  failed: boolean;
}

/** A screen that cannot be loaded or drawn takes nothing else with it: the way to the other screens stays. */
export class ScreenBoundary extends Component<{ children: ReactNode }, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="notice error" role="alert">
        <h1>The page could not be loaded</h1>
        <p>A file could not be loaded. Check the network connection.</p>
        <button type="button" className="primary" onClick={() => location.reload()}>
          Reload the page
        </button>
      </div>
    );
  }
}
