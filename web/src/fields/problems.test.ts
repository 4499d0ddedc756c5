import { expect, test } from "vitest";
import { problemOf } from "./problems";
import { param } from "./testing";

const limited = param("n", { type: "number", min: 1, max: 5 });

test("a number is told its limits", () => {
  expect(problemOf(limited, 9, ["n"], false, null)).toBe("Choose a number from 1 to 5.");
  expect(problemOf(limited, 5, ["n"], false, null)).toBeNull();
  expect(problemOf(limited, "={{ 9 }}", ["n"], false, null)).toBeNull();
});

test("what is required is asked for once the field was left", () => {
  const url = param("url", "text", { label: "URL", required: true });
  expect(problemOf(url, "", ["url"], false, null)).toBeNull();
  expect(problemOf(url, "", ["url"], true, null)).toBe("URL is needed.");
});

test("the error of the last run stands at its parameter", () => {
  const failed = { parameter: "rules.values[0].name", message: "No such column" };
  expect(problemOf(limited, 1, ["rules", "values", 0, "name"], false, failed)).toBe("No such column");
});
