// What stands at an address that has no page.
import { Compass } from "lucide-react";
import { Link } from "wouter";
import { Empty, Page } from "../ui";

export function NotFound() {
  return (
    <Page title="Not found">
      <Empty
        icon={Compass}
        title="There is no page here"
        text="The address may be old or misspelt."
        action={<Link href="/workflows">Go to workflows</Link>}
      />
    </Page>
  );
}
