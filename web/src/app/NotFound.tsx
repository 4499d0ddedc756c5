// What stands at an address that has no page.
import { Compass } from "lucide-react";
import { useLocation } from "wouter";
import { Button, EmptyState, Page } from "../ui";

export function NotFound() {
  const [, go] = useLocation();
  return (
    <Page title="Not found">
      <EmptyState
        icon={Compass}
        title="Page not found"
        text="The URL may be outdated or mistyped."
        action={<Button onClick={() => go("/workflows")}>Open workflows</Button>}
      />
    </Page>
  );
}
