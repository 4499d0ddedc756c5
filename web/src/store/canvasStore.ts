/** State of the canvas that is no part of the document: where the search is open, what is pointed at, what is being renamed. */
import type { ReactFlowInstance } from "@xyflow/react";
import { create } from "zustand";
import type { Problem } from "../api/types";
import type { DocumentDiff } from "../graph/documentDiff";
import type { Point } from "../graph/geometry";
import type { InsertTarget } from "../graph/insertNode";
import type { Ports } from "../graph/ports";
import type { TypeLookup, TypeSpec } from "../graph/typeSpec";

/** The search for a node to add is open, for this place. */
export interface AddRequest {
  place: InsertTarget;
}

/** A reason that is shown for a moment beside the pointer. */
export interface Hint {
  text: string;
  at: Point;
}

export type SidePanel = "versions" | null;

export interface CanvasState {
  flow: ReactFlowInstance | null;
  types: TypeLookup & { types?(): TypeSpec[] };
  ports: ReadonlyMap<string, Ports>;
  add: AddRequest | null;
  /** Name of the node for which the list of possible connections is open. */
  connect: string | null;
  renaming: string | null;
  /** The key of the connection that a dragged node would be put into. */
  dropEdge: string | null;
  hint: Hint | null;
  problems: ReadonlyMap<string, readonly Problem[]>;
  difference: DocumentDiff | null;
  showMap: boolean;
  panel: SidePanel;
  /** Where the pointer was last, in pixels of the window; pasted things go there. */
  pointer: Point | null;
}

const MINIMAP_KEY = "heddle.minimap";

export const useCanvas = create<CanvasState>()(() => ({
  flow: null,
  types: { find: () => undefined },
  ports: new Map(),
  add: null,
  connect: null,
  renaming: null,
  dropEdge: null,
  hint: null,
  problems: new Map(),
  difference: null,
  showMap: typeof localStorage === "undefined" || localStorage.getItem(MINIMAP_KEY) !== "off",
  panel: null,
  pointer: null,
}));

export function setMinimap(shown: boolean) {
  localStorage.setItem(MINIMAP_KEY, shown ? "on" : "off");
  useCanvas.setState({ showMap: shown });
}

let hideTimer: ReturnType<typeof setTimeout> | undefined;

/** Says why something cannot be, where the eye is. */
export function showHint(text: string, at: Point) {
  clearTimeout(hideTimer);
  useCanvas.setState({ hint: { text, at } });
  hideTimer = setTimeout(() => useCanvas.setState({ hint: null }), 4500);
}
