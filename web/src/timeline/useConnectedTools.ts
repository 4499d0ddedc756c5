// The tools at an agent, as the server tells them.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api } from "../api/client";
import type { ConnectedToolList } from "../api/generated";
import type { WorkflowDocument } from "../api/workflowDocument";
import { edgesOf, findNode } from "../graph/document";
import { useEditor } from "../store/editorStore";

/** Asked again once a connected tool, or what is below it, has changed. */
export function useConnectedTools(agent: string) {
  const document = useEditor((state) => state.workflow);
  return useQuery({
    queryKey: ["connectedTools", agent, toolsKey(document, agent)],
    queryFn: async ({ signal }) => {
      const { name, nodes, connections, settings, id } = useEditor.getState().workflow;
      const workflow = { name, nodes, connections, settings: settings ?? {} };
      const body = { workflow, workflowId: id, node: agent };
      return (await api.post<ConnectedToolList>("/workflows/tools", body, signal)).data;
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
}

function toolsKey(document: WorkflowDocument, agent: string): string {
  const below = new Set<string>();
  const add = (node: string) => {
    for (const edge of edgesOf(document)) {
      if (edge.to !== node || edge.kind === "main" || below.has(edge.from)) continue;
      below.add(edge.from);
      add(edge.from);
    }
  };
  add(agent);
  const tools = [...below].map((name) => findNode(document, name));
  return JSON.stringify(
    tools.map((node) => node && [node.name, node.type, node.disabled, node.parameters]),
  );
}
