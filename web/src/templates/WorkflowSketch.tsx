/** The small drawing of a workflow on a card. */
import { useMemo } from "react";
import { useCatalogue } from "../api/catalogue";
import type { WorkflowDocument } from "../api/workflowDocument";
import { hueOf } from "../shared/nodeIcons";
import { layoutSketch } from "./sketchLayout";
import styles from "./WorkflowSketch.module.css";

interface Props {
  document: Pick<WorkflowDocument, "nodes" | "connections">;
  width: number;
  height: number;
}

export function WorkflowSketch({ document, width, height }: Props) {
  const catalogue = useCatalogue();
  const { boxes, lines } = useMemo(
    () => layoutSketch(document, width, height),
    [document, width, height],
  );
  return (
    <svg className={styles.sketch} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {lines.map((line) => (
        <path key={line.path} d={line.path} className={line.dashed ? styles.dashed : styles.line} />
      ))}
      {boxes.map((box) => {
        const radius =
          box.shape === "circle" ? box.width / 2 : box.shape === "start" ? box.height / 2.4 : 4;
        const tile = Math.min(box.height * 0.52, box.width * 0.52);
        const inset = box.shape === "circle" ? (box.width - tile) / 2 : (box.height - tile) / 2;
        return (
          <g key={box.name} data-family={hueOf(box.type, catalogue.find(box.type))}>
            <rect
              className={styles.box}
              x={box.x}
              y={box.y}
              width={box.width}
              height={box.height}
              rx={radius}
            />
            <rect
              className={styles.tile}
              x={box.x + inset}
              y={box.y + (box.height - tile) / 2}
              width={tile}
              height={tile}
              rx={tile / 4}
            />
            {box.shape !== "circle" && box.width > 40 && (
              <rect
                className={styles.words}
                x={box.x + inset + tile + 4}
                y={box.y + box.height / 2 - 1.5}
                width={Math.max(0, box.width - tile - inset * 2 - 8)}
                height={3}
                rx={1.5}
              />
            )}
          </g>
        );
      })}
    </svg>
  );
}
