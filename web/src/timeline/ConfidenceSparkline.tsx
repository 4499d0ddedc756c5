// How sure a strict agent was, iteration by iteration, as a small line.

import { sparklinePath } from "./agentReport";
import css from "./Timeline.module.css";

const WIDTH = 96;
const HEIGHT = 22;

export function ConfidenceSparkline({
  points,
}: {
  points: readonly { iteration: number; value: number }[];
}) {
  const last = points.at(-1);
  if (!last) return null;
  const path = sparklinePath(
    points.map((point) => point.value),
    WIDTH,
    HEIGHT,
  );
  const words = points
    .map((point) => `iteration ${point.iteration}: ${point.value.toFixed(2)}`)
    .join(", ");
  return (
    <span className={css.fact}>
      <span className={css.factLabel}>Confidence</span>
      <span className={css.confidence}>
        <svg
          width={WIDTH}
          height={HEIGHT}
          viewBox={`-2 -2 ${WIDTH + 4} ${HEIGHT + 4}`}
          role="img"
          aria-label={`Confidence, ${words}`}
        >
          <line x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} className={css.zero} />
          <path d={path} className={css.spark} />
          <circle cx={WIDTH} cy={HEIGHT - last.value * HEIGHT} r="2.5" className={css.sparkEnd} />
        </svg>
        {last.value.toFixed(2)}
      </span>
    </span>
  );
}
