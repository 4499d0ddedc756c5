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
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { ContextMenu, cx, type MenuItem } from "../ui";
import { Background } from "./Background";
import css from "./Canvas.module.css";
import { CanvasTools } from "./CanvasTools";
import { ConnectionLine } from "./ConnectionLine";
import { openNode } from "./commands";
import { canvasMenu, edgeMenu, nodeMenu } from "./contextMenus";
import { FlowEdge, SubNodeEdge } from "./Edge";
import { EdgesLod } from "./EdgesLod";
import { EmptyCanvas } from "./EmptyCanvas";
import {
  backgroundBounds,
  type CanvasEdge,
  type CanvasNode,
  createStableList,
  cullToRegion,
  FlowModel,
  withPosition,
  withPositionStyles,
} from "./flowModel";
import { HintBubble } from "./HintBubble";
import {
  LOW_DETAIL_ZOOM,
  LOW_DETAIL_ZOOM_OF_MANY,
  LowDetailContext,
  MANY_NODES,
  MIN_TEXT_ZOOM,
} from "./lod";
import { Minimap } from "./Minimap";
import { NodeCard } from "./NodeCard";
import { StickyNote } from "./StickyNote";
import { useConnectHandlers } from "./useConnecting";
import { useNodeDrag } from "./useDragging";
import { useCanvasDrop } from "./useDropping";
import { useProblemMarks } from "./useProblemMarks";
import { useShortcuts } from "./useShortcuts";
import { FIT_PADDING, fitView, isPhoneCanvas, MAX_ZOOM, MIN_ZOOM } from "./viewControls";
import { useTrackViewport, useViewportStore } from "./viewport";

const NODE_TYPES = { card: NodeCard, note: StickyNote };
const EDGE_TYPES = { flow: FlowEdge, supply: SubNodeEdge };
const MULTI_SELECT_KEYS = ["Shift", "Meta", "Control"];
const SNAP: [number, number] = [GRID, GRID];
const isTouch = typeof matchMedia === "function" && matchMedia("(pointer: coarse)").matches;
const PAN_BUTTONS = isTouch ? true : [1];
const FIT_OPTIONS = { padding: FIT_PADDING, maxZoom: 1 };
const NO_EDGES: CanvasEdge[] = [];

export function Canvas() {
  const workflow = useEditor((state) => state.workflow);
  const selection = useEditor((state) => state.selection);
  const selectedEdges = useEditor((state) => state.selectedEdges);
  const isReadOnly = useEditor((state) => state.readOnly);
  const showMap = useCanvas((state) => state.showMap);
  const catalogue = useCatalogue();
  const isLarge = workflow.nodes.length > MANY_NODES;
  // Until the first view is known, which shows everything, a large workflow is drawn as it will look from afar.
  const isFar = useViewportStore((state) =>
    isLarge ? !state.region || state.zoom < LOW_DETAIL_ZOOM_OF_MANY : state.zoom < LOW_DETAIL_ZOOM,
  );
  const isTiny = useViewportStore((state) => state.zoom < MIN_TEXT_ZOOM);
  const region = useViewportStore((state) => (isLarge ? state.region : null));
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
    setNodes((before) => mergeNodes(built.nodes, before, selection));
  }, [built, catalogue, selection]);
  const edges = useMemo(
    () =>
      built.edges.map((edge) => (selectedEdges.has(edge.id) ? { ...edge, selected: true } : edge)),
    [built.edges, selectedEdges],
  );
  const onNodesChange = useCallback((changes: NodeChange<CanvasNode>[]) => {
    setNodes((before) => withPositionStyles(applyNodeChanges(changes, before)));
    applySelection(changes, "selection");
  }, []);
  const onEdgesChange = useCallback(
    (changes: EdgeChange<CanvasEdge>[]) => applySelection(changes, "selectedEdges"),
    [],
  );
  const onInit = useCallback((flow: ReactFlowInstance<CanvasNode, CanvasEdge>) => {
    useCanvas.setState({ flow: flow as unknown as ReactFlowInstance });
    if (isPhoneCanvas()) requestAnimationFrame(fitView);
  }, []);
  useEffect(() => {
    return () =>
      useCanvas.setState({
        flow: null,
        add: null,
        connect: null,
        renaming: null,
        hint: null,
        panel: null,
      });
  }, []);
  // A node that is dragged is another one in every frame, but the lines are the same.
  const [sameEdges] = useState(() => createStableList<CanvasEdge>());
  const drawn = useMemo(() => {
    const found = cullToRegion(region, nodes, isSimple ? NO_EDGES : edges);
    return { nodes: found.nodes, edges: sameEdges(found.edges) };
  }, [region, nodes, edges, isSimple, sameEdges]);
  const ground = useMemo(() => backgroundBounds(nodes), [nodes]);
  useTrackViewport(frame);
  const pointing = useMemo(() => pointerHandlers(setMenu), []);
  useShortcuts();
  useProblemMarks();
  const dragging = useNodeDrag(setNodes);
  const connecting = useConnectHandlers(frame);
  const dropping = useCanvasDrop();
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
        onBlur={(event) =>
          event.target === event.currentTarget &&
          event.currentTarget.removeAttribute("data-pointed")
        }
        {...dropping}
      >
        <LowDetailContext value={isSimple}>
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
            connectionLineComponent={ConnectionLine}
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
            minZoom={MIN_ZOOM}
            maxZoom={MAX_ZOOM}
            panOnScroll
            panOnDrag={PAN_BUTTONS}
            selectionOnDrag={!isTouch}
            selectionMode={SelectionMode.Partial}
            panActivationKeyCode="Space"
            multiSelectionKeyCode={MULTI_SELECT_KEYS}
            selectionKeyCode={null}
            deleteKeyCode={null}
            zoomOnDoubleClick={false}
            attributionPosition="bottom-left"
            fitView
            fitViewOptions={FIT_OPTIONS}
          >
            <Background under={ground} />
            {isSimple && <EdgesLod nodes={nodes} edges={built.edges} />}
          </ReactFlow>
        </LowDetailContext>
        {showMap && nodes.length > 0 && <Minimap nodes={nodes} />}
        {nodes.length === 0 && !isReadOnly && <EmptyCanvas />}
        <CanvasTools />
        <HintBubble />
        <p className="visually-hidden" aria-live="polite">
          {selection.size === 1
            ? `${[...selection][0]} selected`
            : selection.size > 1
              ? `${selection.size} nodes selected`
              : ""}
        </p>
      </section>
    </ContextMenu>
  );
}

/** What a click and the right button do. Made once: a new function would make the library draw every node again. */
function pointerHandlers(setMenu: (items: readonly MenuItem[]) => void) {
  return {
    onNodeDoubleClick: (_: React.MouseEvent, node: CanvasNode) =>
      node.type === "note" ? startEditingNote(node.id) : openNode(node.id),
    onNodeContextMenu: (_: React.MouseEvent, node: CanvasNode) => setMenu(nodeMenu(node.id)),
    onEdgeContextMenu: (_: React.MouseEvent, edge: CanvasEdge) => setMenu(edgeMenu(edge.id)),
    onPaneContextMenu: (event: React.MouseEvent | MouseEvent) =>
      setMenu(canvasMenu({ x: event.clientX, y: event.clientY })),
    onSelectionContextMenu: (_: React.MouseEvent, [first]: CanvasNode[]) =>
      first && setMenu(nodeMenu(first.id)),
    onPaneClick: () => useCanvas.setState({ add: null, connect: null }),
  };
}

function startEditingNote(note: string) {
  if (!useEditor.getState().readOnly) useCanvas.setState({ renaming: note });
}

/** The new drawing with what the old one knows and the document does not: what is chosen, and where a dragged node is just now. */
function mergeNodes(
  built: readonly CanvasNode[],
  before: readonly CanvasNode[],
  selection: ReadonlySet<string>,
): CanvasNode[] {
  const known = new Map(before.map((node) => [node.id, node]));
  return built.map((node) => {
    const old = known.get(node.id);
    const selected = selection.has(node.id);
    if (old && old.data === node.data && !!old.selected === selected) {
      if (
        old.dragging ||
        (old.position.x === node.position.x && old.position.y === node.position.y)
      )
        return old;
    }
    const drawn = old?.dragging ? withPosition(node, old.position) : node;
    return { ...drawn, selected, dragging: old?.dragging } as CanvasNode;
  });
}

function applySelection(
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
