/** What is found by what is typed. */
import { describe, expect, it } from "vitest";
import type { Action } from "./actionRegistry";
import { scoreAction, searchActions } from "./actionSearch";

const action = (label: string, words = ""): Action => ({
  id: label,
  label,
  group: "Go to",
  keywords: words,
  run: () => {},
});
const labels = (typed: string, ...actions: Action[]) =>
  searchActions(actions, typed).map((found) => found.label);

describe("the command palette", () => {
  it("shows everything while nothing is typed", () => {
    expect(labels(" ", action("b"), action("a"))).toEqual(["b", "a"]);
  });

  it("puts beginnings before middles, and short names before long ones", () => {
    expect(
      labels("cre", action("Secret creature"), action("Credentials"), action("Create")),
    ).toEqual(["Create", "Credentials", "Secret creature"]);
  });

  it("finds words in any order and initials", () => {
    expect(labels("orders new", action("New orders of today"))).toEqual(["New orders of today"]);
    expect(labels("dt", action("Data tables"), action("Executions"))).toEqual(["Data tables"]);
  });

  it("finds by other words too, after names", () => {
    expect(labels("keys", action("Credentials", "keys secrets"), action("Keys"))).toEqual([
      "Keys",
      "Credentials",
    ]);
  });

  it("does not take scattered letters for a name", () => {
    expect(scoreAction("workflow that sends a weekly letter", "wkly")).toBeGreaterThan(0);
    expect(scoreAction("abcdefghijklmnopqrstuvwxyz", "az")).toBe(0);
  });
});
