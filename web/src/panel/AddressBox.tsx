/** Where a trigger is called: the address for a test and the one of the active workflow, to be copied. */

import { useState } from "react";
import { useWebhookOrigin } from "../api/instance";
import { useEditor } from "../editor/store";
import { useForm } from "../fields/form";
import type { WorkflowNode } from "../graph/types";
import { Chip, CopyButton } from "../ui";
import { addressesOf } from "./addresses";
import css from "./Panel.module.css";

export function AddressBox({ node }: { node: WorkflowNode }) {
  const { top } = useForm();
  const id = useEditor((state) => state.workflow.id);
  const active = useEditor((state) => state.workflow.active === true);
  const [shown, setShown] = useState<"test" | "production">("test");
  const origin = useWebhookOrigin();
  const addresses = addressesOf(node, top, id, origin);
  if (!addresses) return null;
  const url = addresses[shown];
  const hint =
    shown === "test"
      ? "Answers one call after “Listen for a call” was pressed."
      : active
        ? "Answers while the workflow is active, as it is now."
        : "Answers once the workflow is active.";
  return (
    <section className={css.addresses} aria-label="Addresses">
      <div className={css.addressHead}>
        <strong>Address</strong>
        <span className={css.space} />
        <div className={css.switch} role="group" aria-label="Which address">
          {(["test", "production"] as const).map((one) => (
            <button key={one} type="button" aria-pressed={shown === one} onClick={() => setShown(one)}>
              {one === "test" ? "Test" : "Production"}
            </button>
          ))}
        </div>
      </div>
      <div className={css.address}>
        <Chip label={addresses.methods} />
        <code>{url}</code>
        {!addresses.unknown && <CopyButton text={url} label="Copy the address" />}
      </div>
      <p className={css.faint}>{addresses.unknown ? "The path is computed, so the address is only known when it runs." : hint}</p>
    </section>
  );
}
