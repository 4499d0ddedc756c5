/** Asks before changes that were not saved are left behind. */
import { useEffect } from "react";
import { useEditor } from "../store/editorStore";
import { saveWorkflow } from "../store/saveWorkflow";
import { choose } from "../ui";

export function useLeaveGuard() {
  useEffect(() => {
    const onUnload = (event: BeforeUnloadEvent) => {
      if (useEditor.getState().dirty) event.preventDefault();
    };
    // Links inside the app do not unload the page, so they are asked for before they are followed.
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element | null)?.closest?.("a[href]");
      if (
        !(link instanceof HTMLAnchorElement) ||
        event.button !== 0 ||
        event.ctrlKey ||
        event.metaKey ||
        event.shiftKey
      )
        return;
      if (
        link.target === "_blank" ||
        link.origin !== window.location.origin ||
        !useEditor.getState().dirty ||
        staysInEditor(link.pathname)
      )
        return;
      event.preventDefault();
      event.stopPropagation();
      void confirmLeave().then((leaves) => {
        if (leaves) link.click();
      });
    };
    window.addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick, true);
    return () => {
      window.removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick, true);
    };
  }, []);
}

/** Whether to go on: once the changes are saved, or because they are not wanted. */
async function confirmLeave(): Promise<boolean> {
  const chosen = await choose({
    title: "Save changes before you leave?",
    text: "If you leave without saving, the changes since the last save are lost.",
    action: "Save and leave",
    alternative: "Leave without saving",
  });
  if (chosen === "action") return saveWorkflow();
  if (chosen === "alternative") useEditor.setState({ dirty: false });
  return chosen !== null;
}

/** The executions of this workflow are shown over the draft, which waits behind them. */
function staysInEditor(path: string): boolean {
  const { id } = useEditor.getState().workflow;
  return id !== undefined && path.startsWith(`/workflow/${id}`);
}
