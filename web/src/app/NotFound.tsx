// What stands at an address that has no page.
import { Compass } from "lucide-react";
import { useLocation } from "wouter";
import { Button, Empty, Page } from "../ui";

export function NotFound() {
  const [, go] = useLocation();
  return (
    <Page title="Not found">
      <Empty
        icon={Compass}
        title="There is no page here"
        text="The address may be old or misspelt."
        action={<Button onClick={() => go("/workflows")}>Open workflows</Button>}
      />
    </Page>
  );
}
