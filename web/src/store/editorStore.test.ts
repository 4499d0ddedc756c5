import { beforeEach, describe, expect, test } from "vitest";
import { emptyDocument, type WorkflowDocument } from "../api/workflowDocument";
import { removeNodes, renameInDocument, setParameter, setWorkflowName } from "../graph/document";
import { emptyView } from "../run/runView";
import { useEditor } from "./editorStore";

const state = () => useEditor.getState();

function stored(): WorkflowDocument {
  const node = (name: string) => ({
    id: `id-${name}`,
    name,
    type: "x.y",
    typeVersion: 1,
    position: [0, 0] as const,
    parameters: {},
  });
  return {
    ...emptyDocument("Test"),
    id: "w1",
    versionId: "v1",
    active: false,
    nodes: [node("A"), node("B")],
  };
}

beforeEach(() => state().load(stored(), true));

describe("changes", () => {
  test("a change makes the document dirty and undoing it makes it clean again", () => {
    state().change("rename", (document) => setWorkflowName(document, "Other"));
    expect(state().dirty).toBe(true);
    expect(state().undo()).toBe("rename");
    expect(state().dirty).toBe(false);
    expect(state().redo()).toBe("rename");
    expect(state().workflow.name).toBe("Other");
  });

  test("a change that changes nothing leaves no step", () => {
    state().change("nothing", (document) => document);
    expect(state().history.past).toHaveLength(0);
  });

  test("what follows a save is a step of its own", () => {
    state().change("type", (document) => setWorkflowName(document, "One"));
    state().markSaved(state().workflow, { versionId: "v2" });
    state().change("type", (document) => setWorkflowName(document, "Two"));
    state().undo();
    expect(state().workflow.name).toBe("One");
    expect(state().dirty).toBe(false);
  });

  test("changes made while a save is under way stay unsaved", () => {
    state().change("rename", (document) => setWorkflowName(document, "Sent"));
    const sent = state().workflow;
    state().change("parameter", (document) => setParameter(document, "A", "x", 1));
    state().markSaved(sent, { versionId: "v2", updatedAt: "now" });
    expect(state().dirty).toBe(true);
    expect(state().savedVersion).toBe("v2");
    expect(state().workflow.nodes[0]?.parameters).toEqual({ x: 1 });
  });

  test("undoing does not take back what the server said", () => {
    state().change("rename", (document) => setWorkflowName(document, "Other"));
    state().applyServerFields({ active: true });
    state().undo();
    expect(state().workflow).toMatchObject({ name: "Test", active: true });
  });
});

describe("what is chosen", () => {
  test("a renamed node stays chosen and open", () => {
    state().openNode("A");
    state().change("rename", (document) => renameInDocument(document, "A", "C"));
    expect([...state().selection]).toEqual(["C"]);
    expect(state().open).toBe("C");
  });

  test("what a run gave stays with a node that is renamed, also when that is undone", () => {
    state().setRun({ ...emptyView("run"), nodes: new Map([["A", []]]) });
    state().change("rename", (document) => renameInDocument(document, "A", "C"));
    expect([...(state().run?.nodes.keys() ?? [])]).toEqual(["C"]);
    state().setRun({ ...emptyView("run"), nodes: new Map([["A", []]]) });
    expect([...(state().run?.nodes.keys() ?? [])]).toEqual(["C"]);
    state().undo();
    expect([...(state().run?.nodes.keys() ?? [])]).toEqual(["A"]);
  });

  test("a removed node is neither chosen nor open any more", () => {
    state().openNode("A");
    state().change("remove", (document) => removeNodes(document, ["A"]));
    expect(state().selection.size).toBe(0);
    expect(state().open).toBeNull();
  });

  test("a node that is not there cannot be opened", () => {
    state().openNode("Nobody");
    expect(state().open).toBeNull();
  });

  test("choosing the same again changes nothing", () => {
    state().select(["A"]);
    const before = state().selection;
    state().select(["A"]);
    expect(state().selection).toBe(before);
  });
});

describe("something that is only shown", () => {
  test("cannot be changed, and the draft comes back as it was", () => {
    state().change("rename", (document) => setWorkflowName(document, "Draft"));
    state().show(emptyDocument("Old"), { kind: "execution", id: "1" });
    state().change("rename", (document) => setWorkflowName(document, "Never"));
    expect(state().workflow.name).toBe("Old");
    expect(state().undo()).toBeNull();
    state().show(emptyDocument("Older"), { kind: "execution", id: "2" });
    state().stopShowing();
    expect(state().workflow.name).toBe("Draft");
    expect(state().dirty).toBe(true);
    expect(state().readOnly).toBe(false);
  });
});
