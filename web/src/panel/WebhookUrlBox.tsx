/** Where a trigger is called: the address for a test and the one of the active workflow, to be copied. */

import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { useWebhookOrigin } from "../api/instance";
import type { WorkflowNode } from "../api/workflowDocument";
import { useEditor } from "../store/editorStore";
import { useForm } from "../store/formContext";
import { Chip, CopyButton, LinkButton } from "../ui";
import css from "./Panel.module.css";
import { getWebhookUrls } from "./webhookUrls";

export function WebhookUrlBox({ node }: { node: WorkflowNode }) {
  const { top, type } = useForm();
  const id = useEditor((state) => state.workflow.id);
  const active = useEditor((state) => state.workflow.active === true);
  const isListening = useEditor((state) => state.run?.status === "listening");
  const [shown, setShown] = useState<"test" | "production">("test");
  const origin = useWebhookOrigin();
  const addresses = getWebhookUrls(node, top, id, origin, type?.trigger);
  if (!addresses) return null;
  const url = addresses[shown];
  const canOpen = shown === "test" ? isListening : active;
  const hint =
    shown === "test"
      ? "Accepts one call after you click “Listen for test event”."
      : active
        ? "Live while the workflow is active."
        : "Activate the workflow to use this URL.";
  return (
    <section className={css.addresses} aria-label="Webhook URLs">
      <div className={css.addressHead}>
        <strong>URL</strong>
        <span className={css.space} />
        <div className={css.switch} role="group" aria-label="URL type">
          {(["test", "production"] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={shown === one}
              onClick={() => setShown(one)}
            >
              {one === "test" ? "Test" : "Production"}
            </button>
          ))}
        </div>
      </div>
      <div className={css.address}>
        <Chip label={addresses.methods} />
        <code>{url}</code>
        {!addresses.unknown && <CopyButton text={url} label="Copy URL" />}
        {!addresses.unknown && type?.trigger === "form" && canOpen && (
          <LinkButton href={url} icon={ExternalLink} size="small">
            Open form
          </LinkButton>
        )}
      </div>
      <p className={css.faint}>
        {addresses.unknown
          ? "The path is an expression, so the URL is only known at run time."
          : hint}
      </p>
    </section>
  );
}
