/** The keys of the panel: walking to neighbours, running the step, going back, undoing. */

import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { isTextInput } from "../palette/hotkeys";
import { redo, undo } from "../store/editCommands";
import { trapFocus } from "./focusTrap";

interface PanelActions {
  close: () => void;
  previous: readonly string[];
  next: readonly string[];
  open: (node: string) => void;
  run: () => void;
}

/** What an event of the browser and one of React have in common. */
interface KeyPress {
  key: string;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
  defaultPrevented: boolean;
  target: EventTarget | null;
  preventDefault: () => void;
  stopPropagation: () => void;
}

export function usePanelKeys(
  frame: RefObject<HTMLElement | null>,
  actions: PanelActions,
): (event: KeyPress) => void {
  const current = useRef(actions);
  useLayoutEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    // A button that is gone once it was pressed leaves the focus to the page, but the keys still mean the panel.
    const onDocument = (event: KeyboardEvent) => {
      if (event.target === document.body) handleKey(event, frame.current, current.current);
    };
    document.addEventListener("keydown", onDocument);
    return () => document.removeEventListener("keydown", onDocument);
  }, [frame]);
  return (event) => handleKey(event, frame.current, current.current);
}

function handleKey(event: KeyPress, frame: HTMLElement | null, actions: PanelActions): void {
  const target = event.target as Element;
  // What floats over the panel has its own keys; events of portals come through here as well.
  const isInside = target === document.body || (frame?.contains(target) ?? false);
  if (!frame || !isInside || event.defaultPrevented) return;
  if (event.key === "Tab") {
    if (trapFocus(frame, event.shiftKey)) event.preventDefault();
    return;
  }
  const isWriting = isTextInput(target);
  const isFrame = target === frame || target === document.body;
  const isCommand = event.ctrlKey || event.metaKey;
  const step = { ArrowLeft: actions.previous, ArrowRight: actions.next }[event.key];
  if (event.key === "Escape") {
    if (isWriting) frame.focus({ preventScroll: true });
    else actions.close();
  } else if (step && (event.altKey || isFrame)) {
    if (step[0] !== undefined) actions.open(step[0]);
  } else if (event.key === "Enter" && isCommand) actions.run();
  else if (isCommand && !hasOwnHistory(target) && /^[zy]$/i.test(event.key)) {
    if (event.shiftKey || event.key.toLowerCase() === "y") redo();
    else undo();
  } else if (event.key === "F2" && !isWriting)
    frame.querySelector<HTMLInputElement>("header input")?.select();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

/** Fields of the form write into the document with every key, so its history is theirs; others keep what is typed to themselves. */
function hasOwnHistory(target: Element): boolean {
  return isTextInput(target) && target.closest("[data-document-fields]") === null;
}
