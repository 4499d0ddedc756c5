// One decision about many uncertain executions. It takes effect after a while and can be taken back until then.

import { useQuery } from "@tanstack/react-query";
import { api, queryClient } from "../api/client";
import type { DecidedBatch, ResumeManyInput, TakenBack, UncertainSteps } from "../api/generated";
import { urlPath } from "../api/url";
import { confirm, plural, toast, tryAction } from "../ui";

const POLL_MS = 5_000;

/** Uncertain executions by workflow and node, and the decisions about them that can be taken back. */
export function useUncertainSteps() {
  return useQuery({
    queryKey: ["executions", "uncertain", "steps"],
    queryFn: () => api.get<UncertainSteps>("/executions/uncertain"),
    refetchInterval: POLL_MS,
  });
}

/** Asks first, decides, and offers to take it back. */
export async function decideMany(count: number, input: ResumeManyInput): Promise<void> {
  const isRepeat = input.decision === "again";
  const title = isRepeat
    ? `Repeat the step of ${plural(count, "execution")}?`
    : `Mark the step of ${plural(count, "execution")} as completed?`;
  const text = isRepeat
    ? "Requests that took effect before will take effect again. You can undo this for 30 seconds."
    : "The executions continue with an empty item as the step's output. You can undo this for 30 seconds.";
  if (!(await confirm({ title, text, action: isRepeat ? "Repeat" : "Mark as completed" }))) return;
  await tryAction(async () => {
    const decided = await api.post<DecidedBatch>("/executions/resume", input);
    refresh();
    const { batch, executions } = decided;
    toast({
      text: `${plural(executions, "execution")} will continue in 30 seconds`,
      undo: executions > 0 ? () => void takeBack(batch) : undefined,
    });
  });
}

export async function takeBack(batch: string): Promise<void> {
  await tryAction(async () => {
    const { executions } = await api.delete<TakenBack>(urlPath`/executions/resume/${batch}`);
    refresh();
    toast({
      text:
        executions > 0
          ? `Decision taken back for ${plural(executions, "execution")}`
          : "The decision has already taken effect",
    });
  });
}

function refresh(): void {
  void queryClient.invalidateQueries({ queryKey: ["executions"] });
}
