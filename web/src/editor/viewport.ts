/**
 * What the drawing follows of the view: the region that is drawn, and the zoom that decides how much of each node is.
 *
 * Both change only when the view leaves the region, is zoomed far, or comes to rest, so that while it moves the browser has nothing to do
 * but to shift a picture that is there already.
 */
import { useStoreApi } from "@xyflow/react";
import { type RefObject, useEffect } from "react";
import { create } from "zustand";
import {
  type Box,
  covers,
  DETAIL_MARGIN,
  isWasteful,
  regionAround,
  visibleBox,
} from "../graph/viewRegion";
import { LOW_DETAIL_ZOOM_OF_MANY } from "./lod";
import { keepSelectionVisible } from "./viewControls";

interface ViewportState {
  /** `null` until the first view is known; then all is drawn. */
  region: Box | null;
  zoom: number;
}

export const useViewportStore = create<ViewportState>()(() => ({ region: null, zoom: 1 }));

/** The view rests when nothing has moved it for so long. */
const IDLE_MS = 250;
/** Nodes can be pointed at again when nothing has moved the view for so long: a view that moves on is quicker. */
const STILL_MS = 80;
/** Where it moves in steps, by the notches of a wheel or on a slow machine, as many steps as this may be left out before it stands still. */
const STILL_STEPS = 2;
/** A gesture that has zoomed by more than this does not wait for its end to change the drawing. */
const ZOOM_THRESHOLD = 2;

/** Follows the view. While it moves, the canvas is marked, so that the drawing is a layer of its own that is shifted and not painted. */
export function useTrackViewport(frame: RefObject<HTMLElement | null>) {
  const store = useStoreApi();
  useEffect(() => {
    const { current: canvas } = frame;
    let resting: ReturnType<typeof setTimeout> | undefined;
    let stopping: ReturnType<typeof setTimeout> | undefined;
    let movedAt = Number.NEGATIVE_INFINITY;
    const now = () => {
      const { transform, width, height } = store.getState();
      return { zoom: transform[2], view: visibleBox(transform, { width, height }) };
    };
    const settle = () => {
      const { fitViewQueued, nodes } = store.getState();
      // The first view shows everything, for which everything must be known.
      if (fitViewQueued && nodes.length > 0) return;
      const { zoom, view } = now();
      useViewportStore.setState({
        region: regionAround(view, zoom < LOW_DETAIL_ZOOM_OF_MANY ? undefined : DETAIL_MARGIN),
        zoom,
      });
    };
    const stop = () => canvas?.setAttribute("data-still", "");
    const rest = () => {
      canvas?.removeAttribute("data-moving");
      const { zoom, view } = now();
      const { region, zoom: drawn } = useViewportStore.getState();
      if (zoom !== drawn || !region || isWasteful(region, view)) settle();
    };
    const follow = () => {
      const { zoom, view } = now();
      const { region, zoom: drawn } = useViewportStore.getState();
      const isFar = zoom > drawn * ZOOM_THRESHOLD || zoom * ZOOM_THRESHOLD < drawn;
      if (!region || isFar || !covers(region, view)) settle();
    };
    if (store.getState().width > 0) settle();
    const end = store.subscribe((state, before) => {
      const isMoved = state.transform.some((part, index) => part !== before.transform[index]);
      if (!isMoved && state.width === before.width && state.height === before.height) return;
      if (isMoved) {
        canvas?.setAttribute("data-moving", "");
        canvas?.removeAttribute("data-still");
        alignToPixels(state.domNode, state.transform);
        const step = performance.now() - movedAt;
        movedAt = performance.now();
        clearTimeout(stopping);
        stopping = setTimeout(stop, Math.max(STILL_MS, step < IDLE_MS ? STILL_STEPS * step : 0));
        clearTimeout(resting);
        resting = setTimeout(rest, IDLE_MS);
      }
      follow();
      if (state.width < before.width || state.height < before.height)
        keepSelectionVisible(before, state);
    });
    return () => {
      end();
      clearTimeout(stopping);
      clearTimeout(resting);
      useViewportStore.setState({ region: null, zoom: 1 });
    };
  }, [store, frame]);
}

/** A picture that stands on whole pixels is shifted by copying it; one that stands between them has to be blended anew. */
function alignToPixels(flow: HTMLElement | null, [x, y]: readonly [number, number, number]) {
  const viewport = flow?.querySelector<HTMLElement>(".react-flow__viewport");
  if (viewport) viewport.style.translate = `${pixelOffset(x)}px ${pixelOffset(y)}px`;
}

function pixelOffset(value: number): number {
  const density = window.devicePixelRatio || 1;
  return Math.round(value * density) / density - value;
}
