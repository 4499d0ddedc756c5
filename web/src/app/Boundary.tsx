// Keeps a mistake on one page from taking the others with it.
import { Component, type ReactNode } from "react";
import { Button, Page } from "../ui";

export class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <Page
        title="This page could not be shown"
        text="What you have saved is safe. Load the page again; if it happens again, tell us what it says below."
      >
        <pre>{error.message}</pre>
        <p style={{ marginTop: 16 }}>
          <Button kind="primary" onClick={() => window.location.reload()}>
            Load again
          </Button>
        </p>
      </Page>
    );
  }
}
