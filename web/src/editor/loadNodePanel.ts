/** The panel of a node brings the code editor along, which most first looks at a canvas do not need. Whoever adds a node is about to. */
export async function loadNodePanel() {
  return { default: (await import("../panel/NodePanel")).NodePanel };
}
