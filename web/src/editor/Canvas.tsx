/** The canvas: the document drawn as nodes and lines, and everything that a pointer does to it. */
import "@xyflow/react/dist/base.css";
import {
  applyNodeChanges,
  type EdgeChange,
  type NodeChange,
  ReactFlow,
  type ReactFlowInstance,
  SelectionMode,
} from "@xyflow/react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useCatalogue } from "../api/catalogue";
import { GRID } from "../graph/geometry";
import { ContextMenu, cx, type MenuItem } from "../ui";
import css from "./Canvas.module.css";
import { CanvasTools } from "./CanvasTools";
import { Card } from "./Card";
import { Circle } from "./Circle";
import { ConnectingLine } from "./ConnectingLine";
import { useCanvas } from "./canvas";
import { openNode } from "./commands";
import { EmptyCanvas } from "./EmptyCanvas";
import { FarLines } from "./FarLines";
import { FAR, FAR_OF_MANY, FarContext, MANY, TINY } from "./far";
import { type CanvasEdge, type CanvasNode, drawnIn, FlowModel, groundOf, keeper, placed, replaced } from "./flow";
import { Ground } from "./Ground";
import { HintBubble } from "./HintBubble";
import { FlowLine, SupplyLine } from "./Line";
import { MapView } from "./MapView";
import { canvasMenu, lineMenu, nodeMenu } from "./menus";
import { Note } from "./Note";
import { useFollowing, useSight } from "./sight";
import { useEditor } from "./store";
import { useConnecting } from "./useConnecting";
import { useDragging } from "./useDragging";
import { useDropping } from "./useDropping";
import { useKeys } from "./useKeys";
import { useMarks } from "./useMarks";
import { LEAST_ZOOM, MOST_ZOOM, ROOM } from "./view";

const NODE_TYPES = { card: Card, circle: Circle, note: Note };
const EDGE_TYPES = { flow: FlowLine, supply: SupplyLine };
const SEVERAL = ["Shift", "Meta", "Control"];
const SNAP: [number, number] = [GRID, GRID];
const isTouch = typeof matchMedia === "function" && matchMedia("(pointer: coarse)").matches;
const PAN_BUTTONS = isTouch ? true : [1];
const FIT = { padding: ROOM, maxZoom: 1 };
const NO_EDGES: CanvasEdge[] = [];

export function Canvas() {
  const workflow = useEditor((state) => state.workflow);
  const selection = useEditor((state) => state.selection);
  const selectedEdges = useEditor((state) => state.selectedEdges);
  const isReadOnly = useEditor((state) => state.readOnly);
  const showMap = useCanvas((state) => state.showMap);
  const catalogue = useCatalogue();
  const isLarge = workflow.nodes.length > MANY;
  // Until the first view is known, which shows everything, a large workflow is drawn as it will look from afar.
  const isFar = useSight((state) => (isLarge ? !state.region || state.zoom < FAR_OF_MANY : state.zoom < FAR));
  const isTiny = useSight((state) => state.zoom < TINY);
  const region = useSight((state) => (isLarge ? state.region : null));
  const isSimple = isFar && isLarge;
  const frame = useRef<HTMLDivElement>(null);
  const [menu, setMenu] = useState<readonly MenuItem[]>([]);
  const [model] = useState(() => new FlowModel());
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these parts of the document are drawn.
  const built = useMemo(
    () => model.build(workflow, catalogue),
    [model, catalogue, workflow.nodes, workflow.connections, workflow.pinData],
  );
  const [nodes, setNodes] = useState<CanvasNode[]>(built.nodes);
  useLayoutEffect(() => {
    useCanvas.setState({ ports: built.ports, types: catalogue });
    setNodes((before) => merged(built.nodes, before, selection));
  }, [built, catalogue, selection]);
  const edges = useMemo(
    () => built.edges.map((edge) => (selectedEdges.has(edge.id) ? { ...edge, selected: true } : edge)),
    [built.edges, selectedEdges],
  );
  const onNodesChange = useCallback((changes: NodeChange<CanvasNode>[]) => {
    setNodes((before) => replaced(applyNodeChanges(changes, before)));
    takeSelection(changes, "selection");
  }, []);
  const onEdgesChange = useCallback((changes: EdgeChange<CanvasEdge>[]) => takeSelection(changes, "selectedEdges"), []);
  const onInit = useCallback((flow: ReactFlowInstance<CanvasNode, CanvasEdge>) => {
    useCanvas.setState({ flow: flow as unknown as ReactFlowInstance });
  }, []);
  useEffect(() => {
    return () => useCanvas.setState({ flow: null, add: null, connect: null, renaming: null, hint: null, panel: null });
  }, []);
  // A node that is dragged is another one in every frame, but the lines are the same.
  const [sameEdges] = useState(() => keeper<CanvasEdge>());
  const drawn = useMemo(() => {
    const found = drawnIn(region, nodes, isSimple ? NO_EDGES : edges);
    return { nodes: found.nodes, edges: sameEdges(found.edges) };
  }, [region, nodes, edges, isSimple, sameEdges]);
  const ground = useMemo(() => groundOf(nodes), [nodes]);
  useFollowing(frame);
  const pointing = useMemo(() => pointingAt(setMenu), []);
  useKeys();
  useMarks();
  const dragging = useDragging(setNodes);
  const connecting = useConnecting(frame);
  const dropping = useDropping();
  return (
    <ContextMenu items={menu}>
      <section
        ref={frame}
        className={cx(css.canvas, isFar && css.far, isTiny && css.tiny)}
        data-canvas
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the canvas takes keys of its own.
        tabIndex={0}
        aria-label={`Canvas of ${workflow.name}`}
        onPointerMove={(event) => {
          useCanvas.getState().pointer = { x: event.clientX, y: event.clientY };
        }}
        // Whoever came here by pointing knows where they are; the frame is for those who came by Tab.
        onPointerDownCapture={(event) => event.currentTarget.setAttribute("data-pointed", "")}
        onBlur={(event) => event.target === event.currentTarget && event.currentTarget.removeAttribute("data-pointed")}
        {...dropping}
      >
        <FarContext value={isSimple}>
          <ReactFlow<CanvasNode, CanvasEdge>
            nodes={drawn.nodes}
            edges={drawn.edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onInit={onInit}
            onNodesChange={onNodesChange}
            onEdgesChange={onEdgesChange}
            {...dragging}
            {...connecting}
            connectionLineComponent={ConnectingLine}
            connectionRadius={28}
            connectOnClick={false}
            {...pointing}
            nodesDraggable={!isReadOnly}
            nodesConnectable={!isReadOnly}
            edgesReconnectable={!isReadOnly}
            nodesFocusable={false}
            edgesFocusable={false}
            elevateNodesOnSelect={false}
            disableKeyboardA11y
            snapToGrid
            snapGrid={SNAP}
            minZoom={LEAST_ZOOM}
            maxZoom={MOST_ZOOM}
            panOnScroll
            panOnDrag={PAN_BUTTONS}
            selectionOnDrag={!isTouch}
            selectionMode={SelectionMode.Partial}
            panActivationKeyCode="Space"
            multiSelectionKeyCode={SEVERAL}
            selectionKeyCode={null}
            deleteKeyCode={null}
            zoomOnDoubleClick={false}
            attributionPosition="bottom-left"
            fitView
            fitViewOptions={FIT}
          >
            <Ground under={ground} />
            {isSimple && <FarLines nodes={nodes} edges={built.edges} />}
          </ReactFlow>
        </FarContext>
        {showMap && nodes.length > 0 && <MapView nodes={nodes} />}
        {nodes.length === 0 && !isReadOnly && <EmptyCanvas />}
        <CanvasTools />
        <HintBubble />
        <p className="visually-hidden" aria-live="polite">
          {selection.size === 1
            ? `${[...selection][0]} is chosen`
            : selection.size > 1
              ? `${selection.size} nodes are chosen`
              : ""}
        </p>
      </section>
    </ContextMenu>
  );
}

/** What a click and the right button do. Made once: a new function would make the library draw every node again. */
function pointingAt(setMenu: (items: readonly MenuItem[]) => void) {
  return {
    onNodeDoubleClick: (_: React.MouseEvent, node: CanvasNode) =>
      node.type === "note" ? startWriting(node.id) : openNode(node.id),
    onNodeContextMenu: (_: React.MouseEvent, node: CanvasNode) => setMenu(nodeMenu(node.id)),
    onEdgeContextMenu: (_: React.MouseEvent, edge: CanvasEdge) => setMenu(lineMenu(edge.id)),
    onPaneContextMenu: (event: React.MouseEvent | MouseEvent) => setMenu(canvasMenu({ x: event.clientX, y: event.clientY })),
    onSelectionContextMenu: (_: React.MouseEvent, [first]: CanvasNode[]) => first && setMenu(nodeMenu(first.id)),
    onPaneClick: () => useCanvas.setState({ add: null, connect: null }),
  };
}

function startWriting(note: string) {
  if (!useEditor.getState().readOnly) useCanvas.setState({ renaming: note });
}

/** The new drawing with what the old one knows and the document does not: what is chosen, and where a dragged node is just now. */
function merged(built: readonly CanvasNode[], before: readonly CanvasNode[], selection: ReadonlySet<string>): CanvasNode[] {
  const known = new Map(before.map((node) => [node.id, node]));
  return built.map((node) => {
    const old = known.get(node.id);
    const selected = selection.has(node.id);
    if (old && old.data === node.data && !!old.selected === selected) {
      if (old.dragging || (old.position.x === node.position.x && old.position.y === node.position.y)) return old;
    }
    const drawn = old?.dragging ? placed(node, old.position) : node;
    return { ...drawn, selected, dragging: old?.dragging } as CanvasNode;
  });
}

function takeSelection(
  changes: readonly (NodeChange<CanvasNode> | EdgeChange<CanvasEdge>)[],
  which: "selection" | "selectedEdges",
) {
  const selects = changes.filter((change) => change.type === "select");
  if (selects.length === 0) return;
  const state = useEditor.getState();
  const chosen = new Set(state[which]);
  for (const change of selects) {
    if (change.selected) chosen.add(change.id);
    else chosen.delete(change.id);
  }
  if (which === "selection") state.select(chosen, state.selectedEdges);
  else state.select(state.selection, chosen);
}
