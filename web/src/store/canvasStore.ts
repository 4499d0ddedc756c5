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
  /** The node that what is chosen takes the place of. */
  replace?: string;
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
  /** The panel of a node opens when it is added. */
  opensNewNodes: boolean;
  panel: SidePanel;
  /** Where the pointer was last, in pixels of the window; pasted things go there. */
  pointer: Point | null;
}

const MINIMAP_KEY = "heddle.minimap";
const OPENS_NEW_KEY = "heddle.openNewNodes";

/** A setting of this browser that holds unless it was turned off. */
function isOn(key: string): boolean {
  return typeof localStorage === "undefined" || localStorage.getItem(key) !== "off";
}

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
  showMap: isOn(MINIMAP_KEY),
  opensNewNodes: isOn(OPENS_NEW_KEY),
  panel: null,
  pointer: null,
}));

export function setOpensNewNodes(opens: boolean) {
  localStorage.setItem(OPENS_NEW_KEY, opens ? "on" : "off");
  useCanvas.setState({ opensNewNodes: opens });
}

export function setMinimap(shown: boolean) {
  localStorage.setItem(MINIMAP_KEY, shown ? "on" : "off");
  useCanvas.setState({ showMap: shown });
}

/** Opens the search for what could take the place of a node. */
export function openReplacePanel(name: string) {
  useCanvas.setState({ add: { place: {}, replace: name }, connect: null, panel: null });
}

let hideTimer: ReturnType<typeof setTimeout> | undefined;

/** Says why something cannot be, where the eye is. */
export function showHint(text: string, at: Point) {
  clearTimeout(hideTimer);
  useCanvas.setState({ hint: { text, at } });
  hideTimer = setTimeout(() => useCanvas.setState({ hint: null }), 4500);
}
