/** The reason why something cannot be, beside the pointer for a moment. */

import { CircleAlert } from "lucide-react";
import { memo } from "react";
import { useCanvas } from "../store/canvasStore";
import css from "./HintBubble.module.css";

const WIDTH = 280;

export const HintBubble = memo(function HintBubble() {
  const hint = useCanvas((state) => state.hint);
  if (!hint) return null;
  const left = Math.max(8, Math.min(hint.at.x + 12, window.innerWidth - WIDTH - 8));
  const top = Math.max(8, Math.min(hint.at.y + 14, window.innerHeight - 90));
  return (
    <div className={css.hint} style={{ left, top, maxWidth: WIDTH }} role="alert">
      <CircleAlert size={15} aria-hidden />
      <span>{hint.text}</span>
    </div>
  );
});
