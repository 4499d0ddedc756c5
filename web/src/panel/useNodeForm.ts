/** The form of the node whose panel is open: its values, how they are written, and the data around it. */

import { useMemo, useState } from "react";
import { useCatalogue } from "../api/catalogue";
import type { WorkflowNode } from "../api/workflowDocument";
import { affectsComparison, applyComparisonSettings } from "../fields/filterComparison";
import { setNodeField, setParameters } from "../graph/document";
import type { JsonObject } from "../graph/json";
import { setParam } from "../graph/paramPath";
import { withDefaults } from "../graph/visibleParams";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import type { Form } from "../store/formContext";
import type { NodeContext } from "./nodeContext";
import { useExpressionScope } from "./useExpressionScope";

/** `run` is the run of the node that is looked at; the last one if none was chosen. */
export function useNodeForm(node: WorkflowNode, around: NodeContext, run: number | null): Form {
  const catalogue = useCatalogue();
  const change = useEditor((state) => state.change);
  const readOnly = useEditor((state) => state.readOnly);
  const failedRun = useEditor((state) => state.run?.nodes.get(node.name)?.at(-1)?.error);
  const lastRun = useEditor((state) => state.run?.nodes.get(node.name)?.at(-1)?.runIndex ?? 0);
  const problems = useCanvas((state) => state.problems.get(node.name));
  const [item, setItem] = useState(0);
  const { scope, items } = useExpressionScope(around, item);
  const type = catalogue.find(node.type, node.typeVersion) ?? catalogue.find(node.type);
  const parameters = node.parameters as JsonObject;
  const top = useMemo(
    () =>
      type ? withDefaults(type.params, parameters, { version: node.typeVersion }) : parameters,
    [type, parameters, node.typeVersion],
  );
  const failed = useMemo(() => {
    const parameter = failedRun?.parameter;
    if (typeof parameter === "string" && failedRun)
      return { parameter, message: failedRun.message };
    const problem = problems?.find((one) => one.parameter && one.severity === "error");
    return problem?.parameter ? { parameter: problem.parameter, message: problem.message } : null;
  }, [failedRun, problems]);
  const lacks = failedRun?.code === "CREDENTIAL_MISSING" ? failedRun.credentialType : null;
  return {
    node: node.name,
    type,
    version: node.typeVersion,
    top,
    credentials: node.credentials ?? {},
    readOnly,
    isTool: around.isTool,
    change: (path, value, what) => {
      change(`${what} of ${node.name}`, (document) => {
        const now = document.nodes.find((one) => one.name === node.name)?.parameters as
          | JsonObject
          | undefined;
        const next = setParam(now ?? {}, path, value);
        return setParameters(
          document,
          node.name,
          affectsComparison(path) ? applyComparisonSettings(next) : next,
        );
      });
    },
    setCredential: (kind, credential) => {
      change(`Select credential for ${node.name}`, (document) => {
        const { [kind]: _, ...others } = node.credentials ?? {};
        const all = credential ? { ...others, [kind]: credential } : others;
        return setNodeField(
          document,
          node.name,
          "credentials",
          Object.keys(all).length > 0 ? all : undefined,
        );
      });
    },
    scope,
    directInput: around.direct?.from ?? null,
    item: Math.min(item, Math.max(0, items - 1)),
    items,
    setItem,
    runIndex: run ?? lastRun,
    lacksCredential: typeof lacks === "string" ? lacks : null,
    failed,
  };
}
