import { expect, test } from "vitest";
import { recordedName, renameInRun, withCurrentNames } from "./recordedNames";
import { createRun, emptyView, type RunView } from "./runView";

function view(executionId: string): RunView {
  const step = (source: string | null) => ({
    ...createRun(0, 0),
    source: source === null ? [] : [{ node: source, output: 0, run: 0 }],
  });
  return {
    ...emptyView(executionId),
    nodes: new Map([
      ["Start", [step(null)]],
      ["Edit", [step("Start")]],
    ]),
  };
}

test("what a run gave follows the new name of its node, and is asked for by the old one", () => {
  const shown = renameInRun(view("1"), new Map([["Start", "Begin"]]));
  expect([...shown.nodes.keys()]).toEqual(["Begin", "Edit"]);
  expect(shown.nodes.get("Edit")?.[0]?.source[0]?.node).toBe("Begin");
  expect(recordedName("1", "Begin")).toBe("Start");
  expect(recordedName("2", "Begin")).toBe("Begin");
});

test("a node that is renamed again, or back, is still the recorded one", () => {
  let shown = renameInRun(view("3"), new Map([["Start", "Begin"]]));
  shown = renameInRun(shown, new Map([["Begin", "First"]]));
  expect(recordedName("3", "First")).toBe("Start");
  shown = renameInRun(shown, new Map([["First", "Start"]]));
  expect(recordedName("3", "Start")).toBe("Start");
  expect([...shown.nodes.keys()]).toEqual(["Start", "Edit"]);
});

test("a name that another node takes over is that of the other node", () => {
  let shown = renameInRun(view("4"), new Map([["Start", "Begin"]]));
  shown = renameInRun(shown, new Map([["Edit", "Start"]]));
  expect(recordedName("4", "Start")).toBe("Edit");
  expect(recordedName("4", "Begin")).toBe("Start");
  expect([...shown.nodes.keys()]).toEqual(["Begin", "Start"]);
});

test("what a run tells later comes under its old names and is shown under the new ones", () => {
  const shown = renameInRun(view("5"), new Map([["Start", "Begin"]]));
  expect([...withCurrentNames(view("5")).nodes.keys()]).toEqual(["Begin", "Edit"]);
  expect(withCurrentNames(shown)).toBe(shown);
});
