import { expect, test } from "vitest";
import { budgetLimit, withBudgetLimit } from "./budget";

test("a limit is set, read and removed, and nothing empty stays", () => {
  const first = withBudgetLimit({ timezone: "UTC" }, "run", "tokens", 5000);
  const both = withBudgetLimit(first, "run", "dollars", 0.5);
  expect(both).toEqual({ timezone: "UTC", budget: { run: { tokens: 5000, dollars: 0.5 } } });
  expect(budgetLimit(both, "run", "dollars")).toBe(0.5);
  expect(budgetLimit(both, "day", "dollars")).toBeUndefined();
  const fewer = withBudgetLimit(both, "run", "tokens", undefined);
  expect(fewer).toEqual({ timezone: "UTC", budget: { run: { dollars: 0.5 } } });
  expect(withBudgetLimit(fewer, "run", "dollars", undefined)).toEqual({ timezone: "UTC" });
});

test("0 is a limit: nothing may be spent", () => {
  expect(budgetLimit(withBudgetLimit({}, "day", "tokens", 0), "day", "tokens")).toBe(0);
});

test("what cannot be read is replaced by what is entered", () => {
  expect(withBudgetLimit({ budget: 5 }, "run", "tokens", 1)).toEqual({
    budget: { run: { tokens: 1 } },
  });
});
