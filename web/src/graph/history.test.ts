import { expect, test } from "vitest";
import { setName } from "./document";
import { isSameContent, NO_HISTORY, remember, stepBack, stepForward } from "./history";
import { emptyDocument } from "./types";

const a = emptyDocument("a");
const b = setName(a, "b");
const c = setName(b, "c");

test("one goes back and forward again", () => {
  const history = remember(remember(NO_HISTORY, "first", a, 0), "second", b, 10_000);
  const back = stepBack(history, c);
  expect(back?.document.name).toBe("b");
  expect(back?.label).toBe("second");
  const again = back && stepForward(back.history, back.document);
  expect(again?.document.name).toBe("c");
});

test("changes of one name that follow quickly are one step", () => {
  const history = remember(remember(NO_HISTORY, "type", a, 0), "type", b, 500);
  expect(history.past).toHaveLength(1);
  expect(stepBack(history, c)?.document.name).toBe("a");
  expect(remember(history, "type", c, 5000).past).toHaveLength(2);
});

test("a new change ends what could be redone", () => {
  const back = stepBack(remember(NO_HISTORY, "first", a, 0), b);
  expect(back && remember(back.history, "other", back.document, 1).future).toEqual([]);
});

test("what the server owns is not undone", () => {
  const active = { ...b, active: true };
  expect(stepBack(remember(NO_HISTORY, "first", a, 0), active)?.document).toMatchObject({ name: "a", active: true });
});

test("undoing to what was saved is the saved content", () => {
  const back = stepBack(remember(NO_HISTORY, "first", a, 0), b);
  expect(back && isSameContent(back.document, a)).toBe(true);
});
