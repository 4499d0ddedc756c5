/** The registry of actions. */
import { describe, expect, it } from "vitest";
import { type Action, getRegisteredActions, registerActions } from "./actionRegistry";

const action = (id: string): Action => ({ id, label: id, group: "Page", run: () => {} });
const ids = () => getRegisteredActions().map((one) => one.id);

describe("offered actions", () => {
  it("are there until they are taken back", () => {
    const takeBack = registerActions([action("a"), action("b")]);
    expect(ids()).toEqual(["a", "b"]);
    takeBack();
    expect(ids()).toEqual([]);
  });

  it("replace those of the same id, and the old ones take nothing new away", () => {
    const old = registerActions([action("a")]);
    const next = registerActions([action("a")]);
    old();
    expect(ids()).toEqual(["a"]);
    next();
    expect(ids()).toEqual([]);
  });
});
