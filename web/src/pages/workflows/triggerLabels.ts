/** How a workflow is started, in a word, from the types of its triggers. */

const TRIGGER_LABELS: Record<string, string> = {
  "n8n-nodes-base.webhook": "Webhook",
  "n8n-nodes-base.scheduleTrigger": "Schedule",
  "n8n-nodes-base.cron": "Schedule",
  "n8n-nodes-base.interval": "Schedule",
  "n8n-nodes-base.formTrigger": "Form",
  "n8n-nodes-base.manualTrigger": "Manual",
  "n8n-nodes-base.errorTrigger": "Error",
  "n8n-nodes-base.executeWorkflowTrigger": "Workflow",
  "n8n-nodes-base.emailReadImap": "Email",
  "n8n-nodes-base.rssFeedReadTrigger": "RSS",
  "@n8n/n8n-nodes-langchain.chatTrigger": "Chat",
  "@n8n/n8n-nodes-langchain.manualChatTrigger": "Chat",
};

export function triggerLabel(triggers: readonly string[]): string[] {
  const words = triggers.map(
    (type) => TRIGGER_LABELS[type] ?? type.slice(type.lastIndexOf(".") + 1).replace(/Trigger$/, ""),
  );
  return [...new Set(words)];
}

/** Whether being active means anything for it: something outside must be able to start it. */
export function canActivate(triggers: readonly string[]): boolean {
  return triggers.some(
    (type) => !/manualTrigger|manualChatTrigger|executeWorkflowTrigger|errorTrigger/.test(type),
  );
}
