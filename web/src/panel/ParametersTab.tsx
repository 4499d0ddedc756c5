/** The parameters of a node: what it is, what its credentials are, and its form. */

import { CircleHelp, Replace, TriangleAlert } from "lucide-react";
import type { WorkflowNode } from "../api/workflowDocument";
import { CodeEditor } from "../expression/CodeEditor";
import { CredentialField } from "../fields/CredentialField";
import { ParamForm } from "../fields/ParamForm";
import { requiredCredentials } from "../fields/requiredCredentials";
import type { JsonObject } from "../graph/json";
import { visibleParams } from "../graph/visibleParams";
import { openReplacePanel } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { useForm } from "../store/formContext";
import { Button } from "../ui";
import css from "./Panel.module.css";
import { WebhookUrlBox } from "./WebhookUrlBox";

export function ParametersTab({ node }: { node: WorkflowNode }) {
  const { type, top, version } = useForm();
  if (!type) return <UnknownNodeType node={node} />;
  const credentials = requiredCredentials(type, top, version);
  const visible = visibleParams(type.params, top, { version });
  return (
    <div className={css.form}>
      {!type.versions.includes(version) && (
        <p className={css.warning}>
          <TriangleAlert size={14} aria-hidden /> Version {version} of this node is not supported.
          Showing the form for version {Math.max(...type.versions)}.
        </p>
      )}
      <WebhookUrlBox node={node} />
      {credentials.map((asked) => (
        <CredentialField key={asked.kind} {...asked} />
      ))}
      <ParamForm params={type.params} values={node.parameters as JsonObject} path={[]} />
      {visible.length === 0 && credentials.length === 0 && (
        <p className={css.faint}>This node has no parameters.</p>
      )}
    </div>
  );
}

/** The search lies on the canvas, so the panel makes way for it. */
function replaceNode(name: string) {
  useEditor.getState().openNode(null);
  openReplacePanel(name);
}

/** A type that is not known is shown as it is stored, and stays so. */
function UnknownNodeType({ node }: { node: WorkflowNode }) {
  const { readOnly } = useForm();
  return (
    <div className={css.form}>
      <p className={css.warning}>
        <CircleHelp size={14} aria-hidden /> The node type “{node.type}” is not supported, so it
        cannot run. Its parameters are kept.
      </p>
      {!readOnly && (
        <div>
          <Button icon={Replace} onClick={() => replaceNode(node.name)}>
            Replace node
          </Button>
        </div>
      )}
      <div className={css.raw}>
        <CodeEditor
          value={JSON.stringify(node.parameters, null, 2)}
          onChange={() => undefined}
          language="json"
          label="Stored parameters"
          readOnly
        />
      </div>
    </div>
  );
}
