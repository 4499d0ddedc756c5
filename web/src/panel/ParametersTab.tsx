/** The parameters of a node: what it is, what its credentials are, and its form. */

import { CircleHelp, TriangleAlert } from "lucide-react";
import { CodeEditor } from "../expression/CodeEditor";
import { CredentialField } from "../fields/CredentialField";
import { askedCredentials } from "../fields/credential-kinds";
import { useForm } from "../fields/form";
import { ParamForm } from "../fields/ParamForm";
import { shown } from "../fields/shown";
import type { JsonObject } from "../fields/spec";
import type { WorkflowNode } from "../graph/types";
import { AddressBox } from "./AddressBox";
import css from "./Panel.module.css";

export function ParametersTab({ node }: { node: WorkflowNode }) {
  const { type, top, version } = useForm();
  if (!type) return <Unknown node={node} />;
  const credentials = askedCredentials(type, top, version);
  const visible = shown(type.params, top, { version });
  return (
    <div className={css.form}>
      {!type.versions.includes(version) && (
        <p className={css.warning}>
          <TriangleAlert size={14} aria-hidden /> Version {version} of this node is not known here. The form is that of version{" "}
          {Math.max(...type.versions)}.
        </p>
      )}
      <AddressBox node={node} />
      {credentials.map((asked) => (
        <CredentialField key={asked.kind} {...asked} />
      ))}
      <ParamForm params={type.params} values={node.parameters as JsonObject} path={[]} />
      {visible.length === 0 && credentials.length === 0 && <p className={css.faint}>This node has no parameters.</p>}
    </div>
  );
}

/** A type that is not known is shown as it is stored, and stays so. */
function Unknown({ node }: { node: WorkflowNode }) {
  return (
    <div className={css.form}>
      <p className={css.warning}>
        <CircleHelp size={14} aria-hidden /> The node type “{node.type}” is not known here, so it cannot run. Its parameters are
        kept as they are.
      </p>
      <div className={css.raw}>
        <CodeEditor
          value={JSON.stringify(node.parameters, null, 2)}
          onChange={() => undefined}
          language="json"
          label="Parameters as stored"
          readOnly
        />
      </div>
    </div>
  );
}
