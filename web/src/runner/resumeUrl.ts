// The address at which a sleeping run is woken. It cannot be guessed, so the server is asked for it, as an expression of the run would be.

import { useQuery } from "@tanstack/react-query";
import { useCatalogue } from "../api/catalogue";
import { api } from "../api/client";
import type { ExpressionValue } from "../api/generated";
import type { WorkflowNode } from "../api/workflowDocument";
import { renameAll } from "../graph/document";
import type { JsonObject } from "../graph/json";
import { renameInValue } from "../graph/renameReferences";
import type { TypeSpec } from "../graph/typeSpec";
import { ruleHolds, withDefaults } from "../graph/visibleParams";
import { recordedNames } from "../run/recordedNames";
import type { RunView } from "../run/runView";
import { useEditor } from "../store/editorStore";

/** How a waiting node is woken: the method, and the expression that gives its address. `null` where no call wakes it. */
export function resumeCall(
  node: Pick<WorkflowNode, "typeVersion" | "parameters">,
  spec: TypeSpec | undefined,
): { method: string; expression: string } | null {
  const place = { version: node.typeVersion };
  const parameters = withDefaults(spec?.params ?? [], node.parameters as JsonObject, place);
  const call = spec?.resumedBy?.find((one) =>
    one.show.every((rule) => ruleHolds(rule, parameters, place, true)),
  );
  if (!call) return null;
  const isForm = call.kind === "form";
  const options = (parameters.options ?? {}) as Record<string, unknown>;
  const suffix =
    typeof options.webhookSuffix === "string" ? options.webhookSuffix.replace(/^=/, "") : "";
  const address = isForm ? "={{ $execution.resumeFormUrl }}" : "={{ $execution.resumeUrl }}";
  const method = isForm ? "GET" : String(parameters.httpMethod ?? "GET");
  return {
    method,
    expression: suffix === "" ? address : `${address}/${suffix.replace(/^\/+/, "")}`,
  };
}

/** The address to call for the run to go on; nothing while it is not known, or where nothing can be called. */
export function useResumeUrl(run: RunView): { method: string; url: string } | undefined {
  const name = run.waiting?.node ?? "";
  const workflow = useEditor((state) => state.workflow);
  const catalogue = useCatalogue();
  const node = workflow.nodes.find((one) => one.name === name);
  const waken = node ? resumeCall(node, catalogue.find(node.type, node.typeVersion)) : null;
  const { data } = useQuery({
    // An address is good for one wait: the same node may be waited at again.
    queryKey: ["waking", run.executionId, name, run.nodes.get(name)?.length, waken?.expression],
    queryFn: ({ signal }) => {
      // Nodes that were renamed since the run began are asked about by the names it knows.
      const names = recordedNames(run.executionId);
      const {
        id: workflowId,
        name: title,
        nodes,
        connections,
        settings,
      } = renameAll(workflow, names);
      const document = { name: title, nodes, connections, settings: settings ?? {} };
      const asked = {
        workflow: document,
        workflowId,
        node: names.get(name) ?? name,
        expression: renameInValue(waken?.expression, names),
        executionId: run.executionId,
      };
      return api.post<ExpressionValue>(
        "/workflows/expression",
        { ...asked, item: 0, runIndex: 0 },
        signal,
      );
    },
    enabled: waken !== null && run.executionId !== "",
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return waken && data?.text?.startsWith("http")
    ? { method: waken.method, url: data.text }
    : undefined;
}
