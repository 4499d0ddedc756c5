/**
 * Words that appear when something is pointed at or focused. There are dozens of places for them on a page and one is shown at a time, so
 * a place is nothing but a few listeners, and one layer for the whole app shows the words.
 */
import {
  cloneElement,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import { createPortal } from "react-dom";
import { Kbd } from "./Kbd";
import { placeBeside, type Side } from "./placement";
import css from "./Tooltip.module.css";
import {
  getTooltip,
  hideTooltip,
  hideTooltipSoon,
  keepTooltip,
  onTooltipChange,
  showTooltip,
  showTooltipSoon,
} from "./tooltipStore";

interface TooltipProps {
  text: ReactNode;
  shortcut?: string;
  side?: Side;
  /** One element that takes listeners. */
  children: ReactElement<Listeners>;
}

interface Listeners {
  onPointerEnter?: (event: PointerEvent<HTMLElement>) => void;
  onPointerLeave?: (event: PointerEvent<HTMLElement>) => void;
  onPointerDown?: (event: PointerEvent<HTMLElement>) => void;
  onFocus?: (event: FocusEvent<HTMLElement>) => void;
  onBlur?: (event: FocusEvent<HTMLElement>) => void;
}

export function Tooltip({ text, shortcut, side = "bottom", children }: TooltipProps) {
  const own = children.props;
  const words = (on: HTMLElement) => ({ on, text, shortcut, side });
  return cloneElement(children, {
    onPointerEnter: (event) => {
      own.onPointerEnter?.(event);
      // A finger does not point: it presses.
      if (event.pointerType !== "touch") showTooltipSoon(words(event.currentTarget));
    },
    onPointerLeave: (event) => {
      own.onPointerLeave?.(event);
      hideTooltipSoon();
    },
    onPointerDown: (event) => {
      own.onPointerDown?.(event);
      hideTooltip();
    },
    onFocus: (event) => {
      own.onFocus?.(event);
      if (event.target === event.currentTarget && event.target.matches(":focus-visible"))
        showTooltip(words(event.currentTarget));
    },
    onBlur: (event) => {
      own.onBlur?.(event);
      hideTooltip();
    },
  });
}

/** Around the whole app: shows the words of whatever is pointed at. */
export function TooltipProvider({ children }: { children: ReactNode }) {
  return (
    <>
      {children}
      <TooltipLayer />
    </>
  );
}

function TooltipLayer() {
  const words = useSyncExternalStore(onTooltipChange, getTooltip);
  const box = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ left: number; top: number } | null>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (!words || !box.current) {
      setPlace(null);
      return;
    }
    const { width, height } = box.current.getBoundingClientRect();
    const room = { width: window.innerWidth, height: window.innerHeight };
    setPlace(placeBeside(words.on.getBoundingClientRect(), { width, height }, words.side, room));
  }, [words]);
  useEffect(() => {
    if (!words) return;
    const { on } = words;
    const described = on.getAttribute("aria-describedby");
    on.setAttribute("aria-describedby", described ? `${described} ${id}` : id);
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && hideTooltip();
    // What was pointed at may be gone without having been left.
    const onMove = () => on.isConnected || hideTooltip();
    document.addEventListener("keydown", onKey, true);
    document.addEventListener("pointermove", onMove);
    document.addEventListener("scroll", hideTooltip, true);
    return () => {
      if (described) on.setAttribute("aria-describedby", described);
      else on.removeAttribute("aria-describedby");
      document.removeEventListener("keydown", onKey, true);
      document.removeEventListener("pointermove", onMove);
      document.removeEventListener("scroll", hideTooltip, true);
    };
  }, [words, id]);
  if (!words) return null;
  return createPortal(
    <div
      ref={box}
      id={id}
      role="tooltip"
      className={css.tooltip}
      style={place ?? { visibility: "hidden" }}
      onPointerEnter={keepTooltip}
      onPointerLeave={hideTooltipSoon}
    >
      {words.text}
      {words.shortcut && <Kbd keys={words.shortcut} />}
    </div>,
    document.body,
  );
}
