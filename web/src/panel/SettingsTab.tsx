/** What happens around a node's work: errors, retries, notes and whether it runs at all. */

import { newestVersion, useCatalogue } from "../api/catalogue";
import type { WorkflowNode } from "../api/workflowDocument";
import { setNodeField } from "../graph/document";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { CopyButton, Field, NumberInput, Select, Switch, TextArea } from "../ui";
import {
  canSplitErrors,
  needsRepeatChoice,
  ON_ERROR_OPTIONS,
  onErrorOf,
  TRIES_RANGE,
  WAIT_RANGE_MS,
} from "./nodeSettings";
import css from "./Panel.module.css";

export function SettingsTab({ node }: { node: WorkflowNode }) {
  const change = useEditor((state) => state.change);
  const readOnly = useEditor((state) => state.readOnly);
  const ports = useCanvas((state) => state.ports.get(node.name));
  const catalogue = useCatalogue();
  const set = <K extends string & keyof WorkflowNode>(
    field: K,
    value: WorkflowNode[K] | undefined,
    what: string,
  ) =>
    change(`${what} of ${node.name}`, (document) =>
      setNodeField(document, node.name, field, value),
    );
  const known = catalogue.findNewest(node.type);
  const flag = (
    field:
      | "alwaysOutputData"
      | "executeOnce"
      | "retryOnFail"
      | "disabled"
      | "notesInFlow"
      | "safeToRepeat",
    label: string,
    hint: string,
  ) => (
    <div className={css.flag}>
      <div>
        <strong>{label}</strong>
        <p>{hint}</p>
      </div>
      <Switch
        checked={node[field] === true}
        onChange={(on) => set(field, on || undefined, `Change “${label}”`)}
        label={label}
        disabled={readOnly}
      />
    </div>
  );
  const onError = onErrorOf(node);
  const offered = ON_ERROR_OPTIONS.filter(
    (choice) => choice.value !== "continueErrorOutput" || canSplitErrors(ports?.outputs),
  );
  return (
    <div className={css.form}>
      {flag("disabled", "Disabled", "Items pass through unchanged.")}
      <Field
        label="On error"
        hint={ON_ERROR_OPTIONS.find((choice) => choice.value === onError)?.hint}
      >
        <Select
          value={onError}
          onChange={(value) =>
            set(
              "onError",
              value === "stopWorkflow" ? undefined : (value as typeof onError),
              "Change “On error”",
            )
          }
          options={offered}
          label="On error"
          disabled={readOnly}
        />
      </Field>
      {flag("retryOnFail", "Retry on failure", "Run the node again if it fails.")}
      {node.retryOnFail && (
        <div className={css.two}>
          <Field label="Max tries">
            <NumberInput
              value={node.maxTries ?? TRIES_RANGE.preset}
              min={TRIES_RANGE.least}
              max={TRIES_RANGE.most}
              onChange={(value) => set("maxTries", value, "Change max tries")}
              disabled={readOnly}
            />
          </Field>
          <Field label="Wait between tries (ms)">
            <NumberInput
              value={node.waitBetweenTries ?? WAIT_RANGE_MS.preset}
              min={WAIT_RANGE_MS.least}
              max={WAIT_RANGE_MS.most}
              step={100}
              onChange={(value) => set("waitBetweenTries", value, "Change wait between tries")}
              disabled={readOnly}
            />
          </Field>
        </div>
      )}
      {flag(
        "alwaysOutputData",
        "Always output data",
        "Output an empty item if there are none, so the branch continues.",
      )}
      {flag("executeOnce", "Execute once", "Process only the first item.")}
      {needsRepeatChoice(known) &&
        flag(
          "safeToRepeat",
          "Safe to repeat",
          "If a crash interrupts the node, run it again instead of waiting for a decision.",
        )}
      <Field label="Notes">
        <TextArea
          value={node.notes ?? ""}
          onChange={(event) => set("notes", event.target.value || undefined, "Change notes")}
          placeholder="Notes for other editors"
          disabled={readOnly}
        />
      </Field>
      {node.notes && flag("notesInFlow", "Show notes on the canvas", "Shown below the node name.")}
      <dl className={css.facts}>
        <dt>Type</dt>
        <dd>
          <code>{node.type}</code> <CopyButton text={node.type} label="Copy type" />
        </dd>
        <dt>Version</dt>
        <dd>
          {node.typeVersion}
          {known && node.typeVersion < newestVersion(known) && (
            <span className={css.faint}> · latest {newestVersion(known)}</span>
          )}
        </dd>
      </dl>
    </div>
  );
}
