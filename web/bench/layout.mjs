/**
 * Whether workflows look as their authors laid them out: how many nodes overlap, how many connections lead back and how many nodes stick out
 * of their notes, with n8n's geometry and with ours. Run `node bench/layout.mjs FOLDER`; it needs a built Heddle, which knows the nodes.
 *
 * n8n's geometry is written down here on its own: squares of 96, nodes with sub-nodes 256 wide, sub-nodes circles of 80, and a connection
 * leads back if it ends more than 20 px to the left of where it begins. Ours is what the canvas draws.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "vite";
import { nodeTypes } from "./nodeTypes.mjs";

const folder = process.argv[2];
if (!folder) {
  console.error("Usage: node bench/layout.mjs FOLDER");
  process.exit(2);
}

const vite = await createServer({
  root: new URL("..", import.meta.url).pathname,
  server: { middlewareMode: true, watch: null, hmr: false },
  optimizeDeps: { noDiscovery: true },
  appType: "custom",
  logLevel: "error",
});
const load = (path) => vite.ssrLoadModule(path);
const { FlowModel } = await load("/src/editor/flowModel.ts");
const { leadsBack } = await load("/src/graph/edgeRoute.ts");
const { occupiedBox } = await load("/src/graph/geometry.ts");
const { parseFragment } = await load("/src/graph/fragment.ts");
const { Catalogue } = await load("/src/api/catalogue.ts");
const catalogue = new Catalogue(await nodeTypes());

const total = { n8n: counts(), ours: counts(), labels: 0 };
let [files, nodes, edges] = [0, 0, 0];
for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
  const document = read(join(folder, file));
  if (!document) continue;
  const ours = drawn(document);
  const n8n = asInN8n(ours);
  files += 1;
  nodes += ours.boxes.length;
  edges += ours.edges.length;
  const [one, other] = [measure(n8n), measure(ours)];
  add(total.n8n, one);
  add(total.ours, other);
  total.labels += overlapping(ours.labelled);
  if (
    process.argv.includes("--each") &&
    other.overlaps + other.back + other.out > one.overlaps + one.back + one.out
  )
    console.log(file, one, other);
}
await vite.close();

console.log(`${files} workflows, ${nodes} nodes, ${edges} connections`);
console.log(
  "geometry | overlapping nodes | connections that lead back | nodes that stick out of their notes",
);
for (const name of ["n8n", "ours"]) {
  const { overlaps, back, out } = total[name];
  console.log([name.padEnd(8), overlaps, back, out].join(" | "));
}
console.log(`With the names below them ${total.labels} pairs of our nodes overlap.`);
const isWorse = ["overlaps", "back", "out"].some((what) => total.ours[what] > total.n8n[what]);
process.exit(isWorse ? 1 : 0);

function counts() {
  return { overlaps: 0, back: 0, out: 0 };
}

function add(sum, one) {
  for (const what of Object.keys(sum)) sum[what] += one[what];
}

function read(file) {
  const text = readFileSync(file, "utf8");
  // A list is an index of the folder, and no workflow.
  if (text.trimStart().startsWith("[")) return null;
  const { nodes, connections } = parseFragment(text);
  return { name: file, nodes, connections };
}

/** What the canvas draws. */
function drawn(document) {
  const model = new FlowModel().build(document, catalogue);
  const box = (node) => ({
    name: node.id,
    ...node.position,
    width: node.width,
    height: node.height,
  });
  const cards = model.nodes.filter((node) => node.type !== "note");
  const byName = new Map(model.nodes.map((node) => [node.id, node]));
  const labelled = cards.map((node) => {
    const { x, y, width, height } = occupiedBox(node.data.ports);
    return { x: node.position.x + x, y: node.position.y + y, width, height };
  });
  return {
    boxes: cards.map((node) => ({ ...box(node), ports: node.data.ports })),
    labelled,
    notes: model.nodes.filter((node) => node.type === "note").map(box),
    edges: model.edges.map((edge) => ({
      kind: edge.data.edge.kind,
      from: point(byName.get(edge.source), edge.sourceHandle),
      to: point(byName.get(edge.target), edge.targetHandle),
      source: edge.source,
      target: edge.target,
    })),
    leadsBack,
  };
}

function point(node, handle) {
  const port = node.handles.find((one) => one.id === handle);
  return {
    x: node.position.x + port.x + port.width / 2,
    y: node.position.y + port.y + port.height / 2,
  };
}

/** The same nodes at their positions with n8n's sizes. Which node serves or is served is read from connections and descriptions. */
function asInN8n({ boxes, notes, edges }) {
  const served = new Set(edges.filter(({ kind }) => kind !== "main").map(({ target }) => target));
  const sized = boxes.map((box) => ({ ...box, ...sizeInN8n(box.ports, served.has(box.name)) }));
  const byName = new Map(sized.map((box) => [box.name, box]));
  const place = (edge) => {
    const [from, to] = [byName.get(edge.source), byName.get(edge.target)];
    return { ...edge, from: { x: from.x + from.width }, to: { x: to.x } };
  };
  return {
    boxes: sized,
    notes,
    edges: edges.map(place),
    leadsBack: (from, to) => from.x - 20 > to.x,
  };
}

/** n8n hides most inputs for sub-nodes that are not needed, so only those count that are required or connected. */
function sizeInN8n({ inputs, outputs }, isServed) {
  const main = (ports) => ports.filter((port) => port.kind === "main").length;
  const isConfigurable = isServed || inputs.some((port) => port.kind !== "main" && port.required);
  const isConfiguration = main(inputs) + main(outputs) === 0 && outputs.length > 0;
  const width = isConfigurable ? 256 : isConfiguration ? 80 : 96;
  const height = isConfiguration
    ? 80
    : 96 + Math.max(0, Math.max(main(inputs), main(outputs)) - 2) * 32;
  return { width, height };
}

function measure({ boxes, notes, edges, leadsBack: isBack }) {
  return {
    overlaps: overlapping(boxes),
    back: edges.filter(({ kind, from, to }) => kind === "main" && isBack(from, to)).length,
    out: boxes.filter((box) => sticksOut(box, notes)).length,
  };
}

function overlapping(boxes) {
  let count = 0;
  for (let one = 0; one < boxes.length; one++)
    for (let other = one + 1; other < boxes.length; other++)
      count += Number(overlap(boxes[one], boxes[other]));
  return count;
}

function overlap(one, other) {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** A node whose corner lies on a note belongs to it; it sticks out unless one of its notes has all of it. */
function sticksOut(box, notes) {
  const own = notes.filter((note) => overlap(note, { ...box, width: 1, height: 1 }));
  return own.length > 0 && !own.some((note) => contains(note, box));
}

function contains(note, box) {
  return (
    box.x >= note.x &&
    box.y >= note.y &&
    box.x + box.width <= note.x + note.width &&
    box.y + box.height <= note.y + note.height
  );
}
