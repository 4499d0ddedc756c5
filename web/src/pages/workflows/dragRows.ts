/** Workflows that are dragged from the list onto a folder. */
import type { DragEvent } from "react";

const TYPE = "application/x-heddle-workflows";

/** Takes a row along, and with it all that are chosen if it is one of them. */
export function dragRows(event: DragEvent, id: string, chosen: ReadonlySet<string>): void {
  event.dataTransfer.setData(TYPE, JSON.stringify(draggedIds(id, chosen)));
  event.dataTransfer.effectAllowed = "move";
}

export function draggedIds(id: string, chosen: ReadonlySet<string>): string[] {
  return chosen.has(id) ? [...chosen] : [id];
}

/** Makes an element take workflows that are dropped on it. `data-over` marks it while some are above it. */
export function dropTarget(onTake: (ids: string[]) => void) {
  const mark = (event: DragEvent, is: boolean) =>
    (event.currentTarget as HTMLElement).toggleAttribute("data-over", is);
  return {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes(TYPE)) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "move";
      mark(event, true);
    },
    onDragLeave: (event: DragEvent) => mark(event, false),
    onDrop: (event: DragEvent) => {
      mark(event, false);
      const ids = event.dataTransfer.getData(TYPE);
      if (ids === "") return;
      event.preventDefault();
      event.stopPropagation();
      onTake(JSON.parse(ids) as string[]);
    },
  };
}
