/** The registry of actions. */
import { describe, expect, it } from "vitest";
import { type Action, offer, offered } from "./actions";

const action = (id: string): Action => ({ id, label: id, group: "Page", run: () => {} });
const ids = () => offered().map((one) => one.id);

describe("offered actions", () => {
  it("are there until they are taken back", () => {
    const takeBack = offer([action("a"), action("b")]);
    expect(ids()).toEqual(["a", "b"]);
    takeBack();
    expect(ids()).toEqual([]);
  });

  it("replace those of the same id, and the old ones take nothing new away", () => {
    const old = offer([action("a")]);
    const next = offer([action("a")]);
    old();
    expect(ids()).toEqual(["a"]);
    next();
    expect(ids()).toEqual([]);
  });
});
