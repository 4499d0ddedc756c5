/** Asks before changes that were not saved are left behind. */
import { useEffect } from "react";
import { useEditor } from "../store/editorStore";
import { confirm } from "../ui";

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
        if (!leaves) return;
        useEditor.setState({ dirty: false });
        link.click();
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

function confirmLeave(): Promise<boolean> {
  return confirm({
    title: "Leave without saving?",
    text: "Changes since the last save will be lost.",
    action: "Leave",
    danger: true,
  });
}

/** The executions of this workflow are shown over the draft, which waits behind them. */
function staysInEditor(path: string): boolean {
  const { id } = useEditor.getState().workflow;
  return id !== undefined && path.startsWith(`/workflow/${id}`);
}
