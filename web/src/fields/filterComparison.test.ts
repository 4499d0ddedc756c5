import { expect, test } from "vitest";
import { getIn } from "../graph/paramPath";
import { affectsComparison, applyComparisonSettings } from "./filterComparison";

const filter = {
  conditions: [],
  combinator: "and",
  options: { caseSensitive: true, typeValidation: "strict", version: 2 },
};

test("the node's settings reach its filters, also those of a switch", () => {
  const after = applyComparisonSettings({
    conditions: filter,
    rules: { values: [{ conditions: filter }] },
    options: { ignoreCase: true },
    looseTypeValidation: true,
  });
  const wanted = { caseSensitive: false, typeValidation: "loose", version: 2 };
  expect(getIn(after, ["conditions", "options"])).toEqual(wanted);
  expect(getIn(after, ["rules", "values", 0, "conditions", "options"])).toEqual(wanted);
});

test("only the two settings concern the comparison", () => {
  expect(affectsComparison(["looseTypeValidation"])).toBe(true);
  expect(affectsComparison(["conditions"])).toBe(false);
});
