import { expect, test } from "vitest";
import { testParam } from "../graph/testParam";
import { findProblem } from "./paramProblems";

const limited = testParam("n", { type: "number", min: 1, max: 5 });

test("a number is told its limits", () => {
  expect(findProblem(limited, 9, ["n"], false, null)).toBe("Enter a number from 1 to 5.");
  expect(findProblem(limited, 5, ["n"], false, null)).toBeNull();
  expect(findProblem(limited, "={{ 9 }}", ["n"], false, null)).toBeNull();
});

test("what is required is asked for once the field was left", () => {
  const url = testParam("url", "text", { label: "URL", required: true });
  expect(findProblem(url, "", ["url"], false, null)).toBeNull();
  expect(findProblem(url, "", ["url"], true, null)).toBe("URL is required.");
});

test("the error of the last run stands at its parameter", () => {
  const failed = { parameter: "rules.values[0].name", message: "No such column" };
  expect(findProblem(limited, 1, ["rules", "values", 0, "name"], false, failed)).toBe(
    "No such column",
  );
});
