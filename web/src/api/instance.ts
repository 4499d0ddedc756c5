/** What the instance says about itself. */
import { useQuery } from "@tanstack/react-query";
import { api } from "./client";
import type { Instance } from "./generated";

export function useInstance() {
  return useQuery({ queryKey: ["instance"], queryFn: () => api.get<Instance>("/instance") });
}

/** Where webhooks, forms and chats are called: an origin of their own if the operator gave them one, else the editor's. */
export function useWebhookOrigin(): string {
  return useInstance().data?.webhookUrl ?? window.location.origin;
}
