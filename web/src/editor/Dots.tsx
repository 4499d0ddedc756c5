/** The dotted ground. It is drawn once and only moved, because painting it anew in every frame would cost more than all the nodes. */
import { useStoreApi } from "@xyflow/react";
import { useLayoutEffect, useRef } from "react";
import css from "./Dots.module.css";

const GAP = 24;
/** Between these sizes dots fade, because they would be too near to each other to be of use. */
const FULL = 0.85;
const GONE = 0.35;

export function Dots() {
  const ground = useRef<HTMLDivElement>(null);
  const store = useStoreApi();
  useLayoutEffect(() => {
    let shownZoom = 0;
    const draw = ([x, y, zoom]: [number, number, number]) => {
      const { current } = ground;
      if (!current) return;
      const gap = GAP * zoom;
      if (zoom !== shownZoom) {
        shownZoom = zoom;
        current.style.backgroundSize = `${gap}px ${gap}px`;
        current.style.opacity = String(Math.min(1, Math.max(0, (zoom - GONE) / (FULL - GONE))));
      }
      current.style.transform = `translate(${remainder(x, gap)}px, ${remainder(y, gap)}px)`;
    };
    draw(store.getState().transform);
    return store.subscribe((state, before) => state.transform !== before.transform && draw(state.transform));
  }, [store]);
  return <div ref={ground} className={css.dots} aria-hidden />;
}

function remainder(value: number, by: number): number {
  return ((value % by) + by) % by;
}
