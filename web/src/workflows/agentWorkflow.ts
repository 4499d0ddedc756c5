// A new workflow to begin with: a chat with an agent, and one thing connected to the agent. Pure.

import type { WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { newId } from "../graph/nodeNames";

type SubNode = Pick<WorkflowNode, "name" | "type" | "typeVersion" | "parameters"> & {
  /** How it is connected to the agent. */
  kind: "ai_tool" | "ai_memory";
};

const AGENT = "AI Agent";

/** Only a model is missing. */
export function agentWorkflow(name: string, { kind, ...given }: SubNode): WorkflowDocument {
  const node = (
    part: Omit<WorkflowNode, "id" | "position">,
    position: [number, number],
  ): WorkflowNode => ({ ...(part as WorkflowNode), id: newId(), position });
  return {
    name,
    nodes: [
      node(
        {
          name: "Chat",
          type: "@n8n/n8n-nodes-langchain.chatTrigger",
          typeVersion: 1.1,
          parameters: { options: {} },
          webhookId: newId(),
        },
        [0, 0],
      ),
      node(
        {
          name: AGENT,
          type: "ai-agent",
          typeVersion: 1,
          parameters: { userMessage: "={{ $json.chatInput }}", options: {} },
        },
        [224, 0],
      ),
      node(given, [kind === "ai_tool" ? 400 : 304, 208]),
    ],
    connections: {
      Chat: { main: [[{ node: AGENT, type: "main", index: 0 }]] },
      [given.name]: { [kind]: [[{ node: AGENT, type: kind, index: 0 }]] },
    },
    settings: { executionOrder: "v1" },
  };
}
