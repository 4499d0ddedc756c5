/** The canvas: the document drawn as nodes and lines, and everything that a pointer does to it. */
import "@xyflow/react/dist/base.css";
import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type EdgeChange,
  MiniMap,
  type NodeChange,
  ReactFlow,
  type ReactFlowInstance,
  SelectionMode,
  useStore,
} from "@xyflow/react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useCatalogue } from "../api/catalogue";
import { GRID } from "../graph/geometry";
import { ContextMenu, type MenuItem } from "../ui";
import css from "./Canvas.module.css";
import { CanvasTools } from "./CanvasTools";
import { Card } from "./Card";
import { Circle } from "./Circle";
import { ConnectingLine } from "./ConnectingLine";
import { useCanvas } from "./canvas";
import { openNode } from "./commands";
import { EmptyCanvas } from "./EmptyCanvas";
import { type CanvasEdge, type CanvasNode, FlowModel } from "./flow";
import { HintBubble } from "./HintBubble";
import { FlowLine, SupplyLine } from "./Line";
import { canvasMenu, lineMenu, nodeMenu } from "./menus";
import { Note } from "./Note";
import { useEditor } from "./store";
import { useConnecting } from "./useConnecting";
import { useDragging } from "./useDragging";
import { useDropping } from "./useDropping";
import { useKeys } from "./useKeys";
import { useMarks } from "./useMarks";

const NODE_TYPES = { card: Card, circle: Circle, note: Note };
const EDGE_TYPES = { flow: FlowLine, supply: SupplyLine };
const SEVERAL = ["Shift", "Meta", "Control"];
const SNAP: [number, number] = [GRID, GRID];
const MAP_SIZE = { width: 168, height: 108 };
const isTouch = typeof matchMedia === "function" && matchMedia("(pointer: coarse)").matches;
/** Below this size names cannot be read any more, so they are not drawn. */
const FAR = 0.4;

export function Canvas() {
  const workflow = useEditor((state) => state.workflow);
  const selection = useEditor((state) => state.selection);
  const selectedEdges = useEditor((state) => state.selectedEdges);
  const isReadOnly = useEditor((state) => state.readOnly);
  const showMap = useCanvas((state) => state.showMap);
  const catalogue = useCatalogue();
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
    setNodes((before) => applyNodeChanges(changes, before));
    takeSelection(changes, "selection");
  }, []);
  const onEdgesChange = useCallback((changes: EdgeChange<CanvasEdge>[]) => takeSelection(changes, "selectedEdges"), []);
  const onInit = useCallback((flow: ReactFlowInstance<CanvasNode, CanvasEdge>) => {
    useCanvas.setState({ flow: flow as unknown as ReactFlowInstance });
  }, []);
  useEffect(() => () => useCanvas.setState({ flow: null, add: null, renaming: null, hint: null, panel: null }), []);
  useKeys();
  useMarks();
  const dragging = useDragging(setNodes);
  const connecting = useConnecting(frame);
  const dropping = useDropping();
  return (
    <ContextMenu items={menu}>
      <section
        ref={frame}
        className={css.canvas}
        data-canvas
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the canvas takes keys of its own.
        tabIndex={0}
        aria-label={`Canvas of ${workflow.name}`}
        onPointerMove={(event) => {
          useCanvas.getState().pointer = { x: event.clientX, y: event.clientY };
        }}
        {...dropping}
      >
        <ReactFlow<CanvasNode, CanvasEdge>
          nodes={nodes}
          edges={edges}
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
          onNodeDoubleClick={(_, node) => (node.type === "note" ? startWriting(node.id) : openNode(node.id))}
          onNodeContextMenu={(_, node) => setMenu(nodeMenu(node.id))}
          onEdgeContextMenu={(_, edge) => setMenu(lineMenu(edge.id))}
          onPaneContextMenu={(event) => setMenu(canvasMenu({ x: event.clientX, y: event.clientY }))}
          onSelectionContextMenu={(_, [first]) => first && setMenu(nodeMenu(first.id))}
          onPaneClick={() => useCanvas.setState({ add: null })}
          nodesDraggable={!isReadOnly}
          nodesConnectable={!isReadOnly}
          edgesReconnectable={!isReadOnly}
          nodesFocusable={false}
          edgesFocusable={false}
          elevateNodesOnSelect={false}
          disableKeyboardA11y
          onlyRenderVisibleElements
          snapToGrid
          snapGrid={SNAP}
          minZoom={0.08}
          maxZoom={2}
          panOnScroll
          panOnDrag={isTouch ? true : [1]}
          selectionOnDrag={!isTouch}
          selectionMode={SelectionMode.Partial}
          panActivationKeyCode="Space"
          multiSelectionKeyCode={SEVERAL}
          selectionKeyCode={null}
          deleteKeyCode={null}
          zoomOnDoubleClick={false}
          attributionPosition="bottom-center"
          fitView
          fitViewOptions={{ padding: 0.15, maxZoom: 1 }}
        >
          <Background variant={BackgroundVariant.Dots} gap={24} size={1.5} className={css.dots} />
          {showMap && nodes.length > 0 && (
            <MiniMap
              className={css.map}
              style={MAP_SIZE}
              pannable
              zoomable
              ariaLabel="Map of the workflow"
              nodeColor={mapColour}
              nodeBorderRadius={6}
              position="bottom-right"
            />
          )}
          <Distance frame={frame} />
        </ReactFlow>
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
    const position = old?.dragging ? old.position : node.position;
    return { ...node, position, selected, dragging: old?.dragging } as CanvasNode;
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

function mapColour(node: CanvasNode): string {
  if (node.selected) return "var(--accent)";
  return node.type === "note" ? "var(--pressed)" : "var(--line-strong)";
}

/** Marks the canvas when it is far away. One element is told, and the style sheet does the rest: no node is drawn again for it. */
function Distance({ frame }: { frame: React.RefObject<HTMLDivElement | null> }) {
  const isFar = useStore((state) => state.transform[2] < FAR);
  useLayoutEffect(() => {
    frame.current?.classList.toggle(css.far ?? "far", isFar);
  }, [frame, isFar]);
  return null;
}
