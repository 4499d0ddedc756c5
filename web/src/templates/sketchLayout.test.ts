/** How a workflow is fitted into a small frame. */
import { describe, expect, it } from "vitest";
import { layoutSketch } from "./sketchLayout";

const node = (name: string, x: number, y: number, type = "n8n-nodes-base.set") => ({
  name,
  type,
  typeVersion: 1,
  position: [x, y] as const,
  parameters: {},
});

const drawn = layoutSketch(
  {
    nodes: [
      node("Chat", 0, 0),
      node("Agent", 300, 0),
      node("Model", 280, 260),
      node("Note", -900, -900, "n8n-nodes-base.stickyNote"),
    ],
    connections: {
      Chat: { main: [[{ node: "Agent", type: "main", index: 0 }]] },
      Model: { ai_languageModel: [[{ node: "Agent", type: "ai_languageModel", index: 0 }]] },
      Gone: { main: [[{ node: "Agent", type: "main", index: 0 }]] },
    },
  },
  320,
  160,
);

describe("a sketch", () => {
  it("keeps every box within the frame", () => {
    for (const box of drawn.boxes) {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(320);
      expect(box.y + box.height).toBeLessThanOrEqual(160);
    }
  });

  it("tells starts, steps and what hangs below an agent apart, and leaves notes out", () => {
    expect(drawn.boxes.map((box) => [box.name, box.shape])).toEqual([
      ["Chat", "start"],
      ["Agent", "card"],
      ["Model", "circle"],
    ]);
  });

  it("draws a line for each connection whose ends are there", () => {
    expect(drawn.lines.map((line) => line.dashed)).toEqual([false, true]);
  });

  it("is empty for a workflow without nodes", () => {
    expect(layoutSketch({ nodes: [], connections: {} }, 100, 100)).toEqual({
      boxes: [],
      lines: [],
    });
  });
});
