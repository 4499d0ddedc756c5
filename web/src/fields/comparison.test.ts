import { expect, test } from "vitest";
import { concernsComparison, withComparisons } from "./comparison";
import { getIn } from "./path";

const filter = { conditions: [], combinator: "and", options: { caseSensitive: true, typeValidation: "strict", version: 2 } };

test("the node's settings reach its filters, also those of a switch", () => {
  const after = withComparisons({
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
  expect(concernsComparison(["looseTypeValidation"])).toBe(true);
  expect(concernsComparison(["conditions"])).toBe(false);
});
