/** Asks the server what an expression gives, a moment after the last key, and keeps the answers. */

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, queryClient } from "../api/client";
import type { ExpressionValue } from "../api/generated";
import type { WorkflowDocument } from "../api/workflowDocument";
import { renameAll } from "../graph/document";
import type { Json } from "../graph/json";
import { renameInValue } from "../graph/renameReferences";
import { recordedNames } from "../run/recordedNames";
import { useEditor } from "../store/editorStore";
import { useForm } from "../store/formContext";
import { useDebounced } from "../ui";

/** What an expression gives; where it is `truncated`, the text is only the beginning of the value. */
export type Preview = Omit<ExpressionValue, "value"> & { value?: Json };

/** What the expression gives for the item that the form looks at; nothing while there is no data to compute it from. */
export function usePreview(
  expression: string,
  enabled: boolean,
): { preview: Preview | undefined; late: boolean; noData: boolean } {
  const { node, item, runIndex } = useForm();
  const executionId = useEditor((state) => state.run?.executionId) || undefined;
  const pins = useEditor((state) => state.workflow.pinData);
  const paused = useDebounced(expression);
  const hasData = Boolean(executionId) || Object.keys(pins ?? {}).length > 0;
  const readsData = /\$(json|input|binary|node|items|\(|prevNode)/.test(paused);
  const asked =
    enabled && paused.startsWith("=") && paused.includes("{{") && (hasData || !readsData);
  const found = useQuery({
    queryKey: previewKey(node, paused, executionId, item, runIndex, pins),
    queryFn: ({ signal }) => {
      const { workflow } = useEditor.getState();
      // Nodes that were renamed since the run are asked about by the names it knows.
      const names = recordedNames(executionId);
      const body = {
        workflow: previewDocument(renameAll(workflow, names)),
        node: names.get(node) ?? node,
        expression: renameInValue(paused, names),
        executionId,
        item,
        runIndex,
        workflowId: workflow.id,
      };
      return api.post<Preview>("/workflows/expression", body, signal);
    },
    enabled: asked,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
  const preview = found.error ? { error: { message: found.error.message } } : found.data;
  return {
    preview: asked ? preview : undefined,
    late: paused !== expression || found.isPlaceholderData,
    noData: !hasData && readsData,
  };
}

function previewKey(
  node: string,
  expression: string,
  executionId: string | undefined,
  item: number,
  run: number,
  pins: WorkflowDocument["pinData"],
) {
  return ["expression", node, expression, executionId, item, run, objectId(pins)];
}

/** What an expression gave when it was last shown, without asking again. */
export function cachedResult(
  node: string,
  expression: string,
  item: number,
  runIndex: number,
): Json | undefined {
  const { run, workflow } = useEditor.getState();
  const key = previewKey(
    node,
    expression,
    run?.executionId || undefined,
    item,
    runIndex,
    workflow.pinData,
  );
  return queryClient.getQueryData<Preview>(key)?.value;
}

function previewDocument({
  name,
  nodes,
  connections,
  settings,
  pinData,
}: WorkflowDocument): Partial<WorkflowDocument> {
  return { name, nodes, connections, settings: settings ?? {}, pinData: pinData ?? {} };
}

/** Pinned data can be large; its identity is enough to know whether answers still hold. */
const ids = new WeakMap<object, number>();
let last = 0;

function objectId(object: object | null | undefined): number {
  if (!object) return 0;
  const known = ids.get(object);
  if (known !== undefined) return known;
  ids.set(object, ++last);
  return last;
}
