/** Which rows of a long list are in sight, followed while it is scrolled and resized. */

import { type RefObject, useLayoutEffect, useState } from "react";
import { visibleRange } from "./treeRows";

export function useVirtualRows(
  place: RefObject<HTMLElement | null>,
  count: number,
  rowHeight: number,
  beyond = 12,
): { from: number; to: number } {
  const [seen, setSeen] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return;
    const read = () => {
      // Rows are only drawn anew when another one comes into sight.
      const top = Math.floor(element.scrollTop / rowHeight) * rowHeight;
      setSeen((before) =>
        before.top === top && before.height === element.clientHeight
          ? before
          : { top, height: element.clientHeight },
      );
    };
    read();
    element.addEventListener("scroll", read, { passive: true });
    const observer = new ResizeObserver(read);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", read);
      observer.disconnect();
    };
  }, [place, rowHeight]);
  return visibleRange(seen.top, seen.height, rowHeight, count, beyond);
}
