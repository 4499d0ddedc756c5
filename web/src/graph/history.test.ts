import { expect, test } from "vitest";
import { emptyDocument } from "../api/workflowDocument";
import { setWorkflowName } from "./document";
import { EMPTY_HISTORY, isSameContent, recordChange, redoStep, undoStep } from "./history";

const a = emptyDocument("a");
const b = setWorkflowName(a, "b");
const c = setWorkflowName(b, "c");

test("one goes back and forward again", () => {
  const history = recordChange(recordChange(EMPTY_HISTORY, "first", a, 0), "second", b, 10_000);
  const back = undoStep(history, c);
  expect(back?.document.name).toBe("b");
  expect(back?.label).toBe("second");
  const again = back && redoStep(back.history, back.document);
  expect(again?.document.name).toBe("c");
});

test("changes of one name that follow quickly are one step", () => {
  const history = recordChange(recordChange(EMPTY_HISTORY, "type", a, 0), "type", b, 500);
  expect(history.past).toHaveLength(1);
  expect(undoStep(history, c)?.document.name).toBe("a");
  expect(recordChange(history, "type", c, 5000).past).toHaveLength(2);
});

test("a new change ends what could be redone", () => {
  const back = undoStep(recordChange(EMPTY_HISTORY, "first", a, 0), b);
  expect(back && recordChange(back.history, "other", back.document, 1).future).toEqual([]);
});

test("what the server owns is not undone", () => {
  const active = { ...b, active: true };
  expect(undoStep(recordChange(EMPTY_HISTORY, "first", a, 0), active)?.document).toMatchObject({
    name: "a",
    active: true,
  });
});

test("undoing to what was saved is the saved content", () => {
  const back = undoStep(recordChange(EMPTY_HISTORY, "first", a, 0), b);
  expect(back && isSameContent(back.document, a)).toBe(true);
});
